/** A promise that is fulfilled when somebody opens it. */
export interface Gate {
  passed: Promise<void>
  open: () => void
}

export function gate(): Gate {
  let open = (): void => {}
  const passed = new Promise<void>(fulfil => {
    open = fulfil
  })
  return { passed, open: () => open() }
}
