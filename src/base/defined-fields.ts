/** Returns a copy of an object without the fields that are undefined, so that absent fields have no key. */
export function definedFields<Fields extends object>(fields: Fields): Partial<Fields> {
  const defined: Partial<Fields> = {}
  for (const key of Object.keys(fields) as (keyof Fields)[])
    if (fields[key] !== undefined) defined[key] = fields[key]
  return defined
}
