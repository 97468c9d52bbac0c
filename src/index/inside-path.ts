/** A single name: neither `.` nor `..`, without characters that a host reads as a separator. */
const NAME = String.raw`(?!\.\.?(?:/|$))[^\\/\u0000-\u001F\u007F]+`
/** Names between slashes, the first of them no drive. */
const INSIDE = new RegExp(`^(?![A-Za-z]:)${NAME}(?:/${NAME})*$`)

/** True for a path that stays inside the directory it is relative to, on every host. */
export function isInside(path: unknown): path is string {
  return typeof path === 'string' && INSIDE.test(path)
}
