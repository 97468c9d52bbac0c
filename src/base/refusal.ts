/** True where the system says that this user may not do something, rather than that it cannot be done. */
export function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'EACCES' || code === 'EPERM'
}
