/** The permissions: the effects that tools declare and hosts grant. */
export const PERMISSIONS = ['read', 'write', 'execute', 'network'] as const
/** A permission that tools declare and hosts grant: `read`, `write`, `execute` or `network`. */
export type Permission = (typeof PERMISSIONS)[number]

/** The permissions that a tool declares. */
export interface ToolPermissions {
  /** All of these must be granted, or no agent may call it. */
  required?: readonly Permission[]
  /** It does more where these are granted, and works without them. */
  optional?: readonly Permission[]
}

export function isPermission(value: unknown): value is Permission {
  return PERMISSIONS.some(known => known === value)
}

/** True where a tool that has one of these changes something, or reaches outside. */
export function reachOut(permissions: readonly Permission[]): boolean {
  return permissions.some(permission => permission !== 'read')
}
