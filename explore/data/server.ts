import { signal } from '@preact/signals'
import { readAddress } from './route.js'
import { reload } from './store.js'

/** The state of the connection to the server; null for a page that is a file. */
export const following = signal<'follows' | 'lost' | null>(null)

/**
 * Exchanges the token in the address for a cookie, and takes it out of the address, so that no copied link has it. Without a
 * token, an earlier cookie may still hold.
 */
export async function openSession(): Promise<void> {
  const [, token] = /^#token=(\w+)$/.exec(location.hash) ?? []
  if (token === undefined) return
  history.replaceState(null, '', '#/')
  readAddress()
  await fetch('/session', { method: 'POST', headers: { authorization: `Bearer ${token}` } })
}

/** Reads the data again whenever the server says that it has changed. */
export function followServer(): void {
  const events = new EventSource('/changes')
  events.addEventListener('open', () => {
    // What changed while the connection was lost is not told again.
    if (following.value === 'lost') void reload()
    following.value = 'follows'
  })
  events.addEventListener('message', () => void reload())
  events.addEventListener('error', () => {
    following.value = 'lost'
  })
}
