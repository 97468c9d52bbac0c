/** True for a system error that denies this user an operation. */
export function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'EACCES' || code === 'EPERM'
}
