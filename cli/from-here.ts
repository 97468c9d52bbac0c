import { relative, resolve, sep } from 'node:path'

/** Returns a path for people: relative to the current directory. `file` is relative to `cwd`. */
export function fromHere(file: string, cwd: string): string {
  return relative(process.cwd(), resolve(cwd, file)) || '.'
}

/** Returns a path for programs: relative to `cwd`, wherever the command was started. */
export function fromCwd(file: string, cwd: string): string {
  return relative(cwd, resolve(cwd, file)).replaceAll(sep, '/') || '.'
}

/** Returns a path for GitHub: relative to the checkout, whatever the step's working directory. */
export function fromCheckout(file: string, cwd: string): string {
  const { GITHUB_WORKSPACE: checkout = '' } = process.env
  const path = checkout === '' ? '..' : relative(checkout, resolve(cwd, file))
  const isInside = path !== '..' && !path.startsWith(`..${sep}`)
  return (isInside ? path : fromHere(file, cwd)).replaceAll(sep, '/')
}
