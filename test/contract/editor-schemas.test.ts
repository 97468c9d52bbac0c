import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { loadConfig } from 'agent-apps/compiler'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parseFile } from '../../compiler/1-read/markdown/parse-file.js'
import { isJsonObject } from '../../src/base/json.js'
import { ROOT } from '../support/processes.js'
import { SAMPLES } from '../support/sample.js'
import { temporary } from '../support/temporary.js'
import { makeTree } from '../support/tree.js'

const schema = (name: string): object => JSON.parse(readFileSync(join(ROOT, 'schema', name), 'utf8'))
const ajv = new Ajv({ strict: true, allowUnionTypes: true })
const isFrontmatter = ajv.compile(schema('frontmatter.json'))
const isConfig = ajv.compile(schema('config.json'))

/** The rules of the reader that say what the schema says. */
const RULES = new Set([
  'agent-invalid',
  'compatibility-length',
  'description-length',
  'description-missing',
  'field-type',
  'name-replaced',
  'role-unknown',
  'value-read-as-text',
  'visibility-unknown',
])

/** What the schema says of a skill file otherwise than the reader; empty where they agree. */
function differences(file: string): string[] {
  const kind = /^skill\.md$/i.test(basename(file)) ? 'folder' : 'file'
  const folderName = basename(dirname(file))
  const { tools, broken, findings } = parseFile(readFileSync(file), {
    path: file,
    kind,
    folderName,
    atRoot: false,
  })
  const isWhole = ({ verbatim }: (typeof tools)[number]): boolean =>
    !isJsonObject(verbatim.metadata) || verbatim.metadata['agent-apps'] === undefined
  // Of a file with a skill that does not load nobody has all frontmatter, and the schema does not see into strings.
  if (tools.length === 0 || broken.length > 0 || !tools.every(isWhole)) return []
  // A name that is written and empty is told as one that is missing.
  const isEmptyName = tools.some(({ verbatim }) => Object.hasOwn(verbatim, 'name'))
  const told = findings
    .filter(({ rule }) => RULES.has(rule) || (isEmptyName && rule === 'name-from-folder'))
    .map(({ rule, found }) => [rule, ...found].join(' '))
  const faults = tools.flatMap(({ verbatim }) =>
    isFrontmatter(verbatim) ? [] : [ajv.errorsText(isFrontmatter.errors)],
  )
  return told.length > 0 === faults.length > 0 ? [] : [`${file}: reader ${told}; schema ${faults}`]
}

function skillFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(item => item.isFile() && /(?:^|\.)skill\.md$/i.test(item.name))
    .map(item => join(item.parentPath, item.name))
}

describe('schema/frontmatter.json says of frontmatter what the reader says', () => {
  it('in every sample', () => {
    const files = skillFiles(SAMPLES)
    expect(files.length).toBeGreaterThan(200)
    expect(files.flatMap(differences)).toEqual([])
  })

  const unpack = join(ROOT, '..', 'shared', 'corpus', 'unpack.sh')
  it.skipIf(!process.env.CORPUS && !existsSync(unpack))('in real skills', () => {
    const corpus = process.env.CORPUS ?? temporary()
    if (!process.env.CORPUS) execFileSync('sh', [unpack, corpus])
    const files = skillFiles(corpus)
    expect(files.length).toBeGreaterThan(1_000)
    expect(files.flatMap(differences)).toEqual([])
  })
})

describe('schema/config.json says of a configuration what the reader says', () => {
  it.each([
    [true, {}],
    [true, { $schema: './node_modules/agent-apps/schema/config.json', paths: ['./skills'] }],
    [
      true,
      {
        paths: [
          { ignore: 'drafts/**' },
          { ignore: ['a', 'b'] },
          { dir: 'a', external: true, layer: 'global' },
        ],
      },
    ],
    [true, { paths: [{ dir: 'a', namespace: 'folder' }] }],
    [true, { freshness: 'check', library: false, external: ['pg', '@a/b'], keep: ['a'], env: ['HOME'] }],
    [true, { hostTools: 'Web*', rules: { 'name-differs': 'off' } }],
    [true, { hostTools: ['WebFetch'] }],
    [false, { hostTools: 3 }],
    [false, { rules: [] }],
    [false, { rules: { 'name-differs': 'loud' } }],
    [true, { theirs: { any: 1 } }],
    [false, { paths: './skills' }],
    [false, { paths: [''] }],
    [false, { paths: [3] }],
    [false, { paths: [{}] }],
    [false, { paths: [{ dir: 'a', extern: true }] }],
    [false, { paths: [{ dir: 'a', layer: 'system' }] }],
    [false, { paths: [{ dir: 'a', external: 'yes' }] }],
    [false, { paths: [{ ignore: 3 }] }],
    [false, { paths: [{ ignore: 'a', dir: 'b', more: 1 }] }],
    [false, { paths: [{ dir: 'a', namespace: 'c' }] }],
    [true, { paths: [{ dir: 'a', namespace: 'data' }] }],
    [false, { paths: [{ dir: 'a', namespace: 'mcp' }] }],
    [false, { paths: [{ dir: 'a', namespace: 'a--b' }] }],
    [false, { paths: [{ dir: 'a', namespace: 'x'.repeat(201) }] }],
    [false, { freshness: 'always' }],
    [false, { library: 'no' }],
    [false, { external: ['./a'] }],
    [false, { external: 'pg' }],
    [false, { keep: 'a' }],
    [false, { env: [1] }],
    [true, { policy: { deny: 'bash', rules: ['save'], permissions: ['read'], approval: { mode: 'yolo' } } }],
    [true, { agents: [{ id: 'a', tools: { allow: ['b'], deny: 'c' }, permissions: [] }] }],
    [true, { paths: [{ dir: 'a', trust: 'ask' }] }],
    [false, { paths: [{ dir: 'a', trust: 'allow' }] }],
    [false, { policy: [] }],
    [false, { policy: { denies: 'bash' } }],
    [false, { policy: { trust: { project: 'allow' } } }],
    [false, { policy: { permissions: ['sudo'] } }],
    [false, { policy: { approval: { mode: 'never' } } }],
    [false, { agents: {} }],
    [false, { agents: [{ tools: {} }] }],
    [false, { agents: [{ id: '' }] }],
    [false, { agents: [{ id: 'a', tool: {} }] }],
    [false, { agents: [{ id: 'a', tools: { allows: [] } }] }],
    [false, []],
    [false, null],
  ])('%j %j', async (isSound, config) => {
    const cwd = makeTree({ 'agent-apps.config.json': JSON.stringify(config) })
    const said = await loadConfig({ cwd }).then(
      () => true,
      error => error.code !== 'CONFIG_INVALID',
    )
    expect([said, isConfig(config)]).toEqual([isSound, isSound])
  })

  it('has every field of a configuration', () => {
    const { properties } = schema('config.json') as { properties: object }
    const reader = readFileSync(join(ROOT, 'compiler/pipeline/load-config.ts'), 'utf8')
    const [, fields = ''] = /^const FIELDS: .*\{\n([\s\S]*?)^\}/m.exec(reader) ?? []
    const names = [...fields.matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => name)
    expect(names).toContain('paths')
    expect(Object.keys(properties).sort()).toEqual(['$schema', ...names].sort())
  })
})
