/** Sets an own field: assigning could replace a prototype, call its setter, or throw where it is frozen. */
export function defineField(object: object, key: string, value: unknown): void {
  if (key in object)
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else (object as Record<string, unknown>)[key] = value
}
