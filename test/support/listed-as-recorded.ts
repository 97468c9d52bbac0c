import { expect } from 'vitest'
import { indexFiles } from '../../compiler/index/index-files.js'
import { isBroken, type NameRecord, type NamesakesRecord } from '../../src/index/index-format.js'
import { encodeList, isSameRow } from '../../src/index/list-columns.js'
import { brokenAt, ListedRecord } from '../../src/index/listed-record.js'
import { openIndex } from '../../src/index/read-index.js'
import { listIn } from '../../src/index/read-list.js'

/** Expects that the list of an index's tools says of each what its record says. */
export function expectListedAsRecorded(directory: string): void {
  const index = openIndex(indexFiles, directory)
  if (!index) return
  const names = index.names()
  const records = names.map(name => [name, index.tool(name, true)] as [string, NameRecord | NamesakesRecord])
  const files = index.paths().flatMap(path => {
    const file = index.file(path)
    return file ? [[path, file] as const] : []
  })
  const columns = listIn(encodeList(records, () => files))
  expect(columns.names).toEqual(names)
  for (const [row, name] of names.entries()) {
    const record = index.tool(name, true) as NameRecord
    expect(isSameRow(columns, row, record)).toBe(true)
    if (isBroken(record)) expect(brokenAt(columns, row)).toEqual({ broken: record.broken, file: record.file })
    else {
      const listed = new ListedRecord(columns, row)
      const { content, file, fragment, frontmatter, kind, size } = listed
      expect({ content, file, fragment, frontmatter, kind, size }).toEqual({
        content: record.content,
        file: record.file,
        fragment: record.fragment,
        frontmatter: record.frontmatter,
        kind: record.kind,
        size: record.size,
      })
    }
  }
}
