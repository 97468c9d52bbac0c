import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readPlainYaml } from '../../compiler/1-read/frontmatter/plain-yaml.js'
import { parseYaml } from '../../compiler/1-read/frontmatter/yaml.js'
import { decode } from '../../compiler/1-read/markdown/decode.js'
import { splitFirst } from '../../compiler/1-read/markdown/split-file.js'
import { corpus } from '../support/corpus.js'

const source = corpus()
if (source === null) console.log('corpus: skipped, there is none beside the project and CORPUS names none')

it.skipIf(source === null)('the frontmatter of real skills is what the parser makes of it', () => {
  const all = frontmatters(source ?? '')
  const differing: string[] = []
  let plain = 0
  for (const [file, yaml] of all) {
    const read = readPlainYaml(yaml)
    if (read === null) continue
    plain++
    // The order of keys counts as well.
    if (JSON.stringify(read) !== JSON.stringify(parseYaml(yaml).value)) differing.push(file)
  }
  console.log(`frontmatters read by the scan: ${plain} of ${all.length}`)
  expect(differing).toEqual([])
  expect(plain).toBeGreaterThan(all.length / 2)
})

/** The YAML of each Markdown skill file in a folder that has any. */
function frontmatters(folder: string): [file: string, yaml: string][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name): [string, string][] => {
    if (!/(?:^|[\\/])SKILL\.md$|\.skill\.md$/.test(name)) return []
    const decoded = decode(readFileSync(join(folder, name)))
    const block = 'rule' in decoded ? decoded : splitFirst(decoded)
    return 'rule' in decoded || 'rule' in block
      ? []
      : [[name, decoded.text.slice(block.yamlStart, block.yamlEnd)]]
  })
}
