import { computed, signal } from '@preact/signals'

/** A state of the page, as its address has it: `#/skill/deploy?view=source`. */
export interface Route {
  /** The first part of the path. */
  view: string
  /** The rest of the path; empty without one. */
  name: string
  params: ReadonlyMap<string, string>
}

const address = signal(location.hash)
/** Takes over what was written into the address without an event. */
export function readAddress(): void {
  address.value = location.hash
}
addEventListener('hashchange', readAddress)

export const route = computed(() => parseRoute(address.value))

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const [view = '', name = ''] = path.split(/\/(.*)/s)
  return {
    view: view === '' ? 'skills' : view,
    name: decoded(name),
    params: new Map(new URLSearchParams(query)),
  }
}

/** The address of a state. Parameters without a value are left out. */
export function linkTo(view: string, name = '', params: Record<string, string | undefined> = {}): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(params)) if (value) query.set(key, value)
  const text = query.toString()
  return `#/${view}${name === '' ? '' : `/${encodeURIComponent(name)}`}${text === '' ? '' : `?${text}`}`
}

export function go(link: string): void {
  location.hash = link
}

/** Changes parameters of the current state without a new entry in the history: each key that is typed is not a step back. */
export function setParams(changes: Record<string, string | undefined>): void {
  const { view, name, params } = route.peek()
  history.replaceState(null, '', linkTo(view, name, { ...Object.fromEntries(params), ...changes }))
  readAddress()
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
