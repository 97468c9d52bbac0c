type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/** The array if it has that many places, or else a copy with twice as many. */
export function grown<Type extends Numbers>(array: Type, length: number): Type {
  if (length <= array.length) return array
  const larger = new (array.constructor as new (length: number) => Type)(2 * length)
  larger.set(array)
  return larger
}
