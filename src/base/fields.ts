/** Returns a copy of an object without the fields that are undefined, so that absent fields have no key. */
export function definedFields<Fields extends object>(fields: Fields): Partial<Fields> {
  const defined: Partial<Fields> = {}
  for (const key of Object.keys(fields) as (keyof Fields)[])
    if (fields[key] !== undefined) defined[key] = fields[key]
  return defined
}

/** Sets an own field: assigning could replace a prototype, call its setter, or throw where it is frozen. */
export function defineField(object: object, key: string, value: unknown): void {
  if (key in object)
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else (object as Record<string, unknown>)[key] = value
}
