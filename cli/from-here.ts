import { relative, resolve, sep } from 'node:path'

/** A file that is named from `--cwd`, as it is reached from where the command was started. */
export function fromHere(file: string, cwd: string): string {
  return relative(process.cwd(), resolve(cwd, file)) || '.'
}

/** The same for programs: from `--cwd`, wherever the command was started. */
export function fromCwd(file: string, cwd: string): string {
  return relative(cwd, resolve(cwd, file)).replaceAll(sep, '/') || '.'
}

/** The same for GitHub, which takes a path from the checkout, wherever in that a step works. */
export function fromCheckout(file: string, cwd: string): string {
  const { GITHUB_WORKSPACE: checkout = '' } = process.env
  const path = checkout === '' ? '..' : relative(checkout, resolve(cwd, file))
  const isInside = path !== '..' && !path.startsWith(`..${sep}`)
  return (isInside ? path : fromHere(file, cwd)).replaceAll(sep, '/')
}
