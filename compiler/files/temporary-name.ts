/** The name of a file that is on its way to another one: no two processes have the same. */
export function temporaryName(target: string, ending: 'tmp' | 'mjs' = 'tmp'): string {
  return `${target}.${process.pid}.${ending}`
}

const TEMPORARY = /^(.+)\.\d+\.(tmp|mjs)$/

/** What a file of a temporary name, of whichever process, was to be; null for any other name. */
export function nameToBe(name: string, ending: 'tmp' | 'mjs' = 'tmp'): string | null {
  const [, target = null, found] = TEMPORARY.exec(name) ?? []
  return found === ending ? target : null
}
