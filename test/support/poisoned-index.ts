import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { INDEX_FILE, SECTIONS, type Section, sealed } from '../../src/index/index-format.js'

/** An index that stands in one file, as JSON. */
export type WrittenIndex = { hash: string } & Record<Section, Record<string, WrittenRecord>>

type WrittenRecord = { frontmatter?: object; broken?: object } & Record<string, unknown>

/** Changes an index as somebody would who knows how its hash is made. */
export function rewriteIndex(dir: string, change: (index: WrittenIndex) => void): void {
  const index = JSON.parse(readFileSync(join(dir, INDEX_FILE), 'utf8')) as WrittenIndex
  change(index)
  const sections = SECTIONS.map(section => {
    const rows = Object.entries(index[section]).map(
      ([key, record]) => `${JSON.stringify(key)}:${JSON.stringify(record)}`,
    )
    return rows.length === 0 ? `"${section}":{}` : `"${section}":{\n${rows.join(',\n')}\n}`
  })
  const fields = Object.entries(index)
    .filter(([key]) => !SECTIONS.some(section => section === key))
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
  writeFileSync(join(dir, INDEX_FILE), `{\n${[...fields, ...sections].join(',\n')}\n}\n`)
  changeAsHashed(dir, text => text)
}

/** Changes the text of an index, and then its hash. */
export function changeAsHashed(dir: string, change: (text: string) => string): void {
  const file = join(dir, INDEX_FILE)
  const text = change(readFileSync(file, 'utf8'))
  const records = text.slice(text.indexOf('\n"tools":') + 1, -'\n}\n'.length)
  const hash = createHash('sha256').update(records).digest('hex')
  writeFileSync(file, text.replace(/"hash":"[^"]*"/, `"hash":"${hash}"`))
}

/** Makes the checksum of each record of an index right again. */
export function reseal(dir: string): void {
  changeAsHashed(dir, text =>
    text.replace(
      /^("(?:[^"\\]|\\.)*":\{.+?)(?:,"check":"[0-9a-f]{8}")?\}(,?)$/gm,
      (_, line: string, comma: string) => sealed(line) + comma,
    ),
  )
}
