import type { ComponentChildren, JSX } from 'preact'
import type { Loading } from '../data/store.js'

/** Shows a value once it is there, and until then, or where it cannot be read, says so. */
export function Loaded<Value>({
  from,
  children,
}: {
  from: Loading<Value>
  children: (value: Value) => ComponentChildren
}): JSX.Element {
  if (from.state === 'ready') return <>{children(from.value)}</>
  if (from.state === 'loading')
    return (
      <div class="notice" role="status">
        <p>Unpacking…</p>
      </div>
    )
  return (
    <Notice title="This part cannot be shown">
      {from.reason} Write the page again with <code>agent-apps explore</code>.
    </Notice>
  )
}

/** A message in the place of what would be shown. */
export function Notice({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="notice">
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  )
}
