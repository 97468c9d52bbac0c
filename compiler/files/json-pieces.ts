/** Characters of a piece, about: enough that there are few, and few enough to be nothing beside what is encoded. */
const PIECE = 256 * 1024

/** Something of which the JSON is a list, made item by item. */
export class LongList {
  constructor(readonly items: Iterable<unknown>) {}
}

/** The JSON of an object as UTF-8, in pieces, so that there never is a text as long as all of it. */
export function jsonPieces(object: Record<string, unknown>): Buffer[] {
  const pieces: Buffer[] = []
  let text = ''
  const write = (more: string): void => {
    text += more
    if (text.length > PIECE) end()
  }
  const end = (): void => {
    pieces.push(Buffer.from(text))
    text = ''
  }
  write('{')
  for (const [number, [key, value]] of Object.entries(object).entries()) {
    write(`${number === 0 ? '' : ','}${JSON.stringify(key)}:`)
    if (value instanceof LongList) {
      let separator = ''
      write('[')
      for (const item of value.items) {
        write(separator + JSON.stringify(item))
        separator = ','
      }
      write(']')
    } else write(JSON.stringify(value))
  }
  write('}')
  end()
  return pieces
}
