import { relative, resolve, sep } from 'node:path'

/** A path for people, relative to the current directory. `file` is relative to `cwd`. */
export function fromHere(file: string, cwd: string): string {
  return relative(process.cwd(), resolve(cwd, file)) || '.'
}

/** A path for programs, relative to `cwd`. */
export function fromCwd(file: string, cwd: string): string {
  return relative(cwd, resolve(cwd, file)).replaceAll(sep, '/') || '.'
}

/** A path for GitHub, relative to the checkout. */
export function fromCheckout(file: string, cwd: string): string {
  const { GITHUB_WORKSPACE: checkout = '' } = process.env
  const path = checkout === '' ? '..' : relative(checkout, resolve(cwd, file))
  const isInside = path !== '..' && !path.startsWith(`..${sep}`)
  return (isInside ? path : fromHere(file, cwd)).replaceAll(sep, '/')
}
