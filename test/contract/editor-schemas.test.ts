import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { check, loadConfig } from 'agent-apps/compiler'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parseFile } from '../../compiler/1-read/markdown/parse-file.js'
import { RULES as DIAGNOSTIC_RULES, type RuleName } from '../../compiler/diagnostics/diagnostics.js'
import { fixedSeverity } from '../../compiler/diagnostics/rule-settings.js'
import { isJsonObject } from '../../src/base/json.js'
import { CORE_METADATA_KEYS } from '../../src/skill/metadata-keys.js'
import { isLong } from '../support/long.js'
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
  it.runIf(isLong && (process.env.CORPUS !== undefined || existsSync(unpack)))('in real skills', () => {
    const corpus = process.env.CORPUS ?? temporary()
    if (!process.env.CORPUS) execFileSync('sh', [unpack, corpus])
    const files = skillFiles(corpus)
    expect(files.length).toBeGreaterThan(1_000)
    expect(files.flatMap(differences)).toEqual([])
  })
})

/** Values for every key of `metadata` that the schema knows, beside those that are written below. */
const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    3,
    0,
    -1,
    2.5,
    2 ** 31,
    '',
    'abc',
    'none',
    'local',
    'hidden',
    'main',
    '>=0.1.0',
    '${args.a}',
  ],
  ...['${a}', 'a ${ args["b c"] } b', '${arguments}', [], ['read'], ['HOME'], [3], ['a b'], {}, { a: 1 }],
]
const MORE: Record<string, readonly unknown[]> = {
  permissions: [
    { required: ['read'] },
    { required: ['sudo'] },
    { optional: [] },
    { required: 'read' },
    { needed: [] },
  ],
  trust: [{ rules: 'save' }, { rules: ['save(a:*)'] }, { rules: 3 }, { rules: 'a', more: 1 }],
  timeout: [{ ms: 5 }, { ms: 0 }, { ms: 'a' }, { most: 1 }],
  retry: [{ attempts: 2, delay: 0, most: 1 }, { attempts: 0 }, { tries: 2 }],
  'state-slot': [{ schema: {}, initial: 0 }, { schema: {} }, { schema: {}, initial: 0, more: 1 }],
  agent: [{ model: 'a' }, { maxSteps: 0 }, { steps: 1 }],
}
/** Keys that have tests of their own, and `requires`, which other hosts have in forms of theirs. */
const APART = ['params', 'returns', 'delegate', '$global', '$inherit', 'agent-apps', 'role', 'requires']

describe('schema/frontmatter.json says of metadata what `check` says', () => {
  const { metadata } = (schema('frontmatter.json') as { properties: Record<string, { properties: object }> })
    .properties
  const keys = Object.keys(metadata?.properties ?? {}).filter(key => !APART.includes(key))

  it('under every key, whatever the value', { tags: 'long' }, async () => {
    const cases = keys.flatMap(key => [...VALUES, ...(MORE[key] ?? [])].map(value => ({ key, value })))
    const cwd = makeTree(
      Object.fromEntries(
        cases.map(({ key, value }, at) => [
          `skills/s${at}/SKILL.md`,
          `---\nname: s${at}\ndescription: Use it.\nmetadata:\n  ${key}: ${JSON.stringify(value)}\n---\nText\n`,
        ]),
      ),
    )
    const { diagnostics } = await check({ cwd, paths: ['skills'] })
    const RELATED = new Set([...RULES, 'guard-invalid', 'declaration-invalid', 'middleware-config'])
    const refused = new Set(
      diagnostics.flatMap(({ file, ruleId }) => (RELATED.has(ruleId ?? '') ? [file] : [])),
    )
    const differing = cases.flatMap(({ key, value }, at) => {
      const isSound = isFrontmatter({ name: 'a', description: 'Use it.', metadata: { [key]: value } })
      const said = !refused.has(`skills/s${at}/SKILL.md`)
      return isSound === said ? [] : [`${key}: ${JSON.stringify(value)}: check ${said}, schema ${isSound}`]
    })
    expect(differing).toEqual([])
  })

  it('has every key that the core reads', () => {
    expect(CORE_METADATA_KEYS.filter(key => !Object.hasOwn(metadata?.properties ?? {}, key))).toEqual([
      // `defineTool` writes them; and switches take any value that YAML has for them.
      'approval-preview',
      'enabled',
      'interpolate',
      'lifecycle',
      'static',
    ])
  })
})

/** What of the schemas follows from the code word for word. */
describe('the schemas have, as the code has it,', () => {
  it('the rules whose severity may be set', () => {
    const rules = (Object.keys(DIAGNOSTIC_RULES) as RuleName[]).filter(rule => fixedSeverity(rule) === null)
    expectInSchema('config.json', ['properties', 'rules', 'propertyNames'], { enum: rules })
  })

  it.each(['limit', 'retry', 'timeout', 'trace'])('the configuration of the middleware "%s"', async name => {
    const { frontmatter } = await import(join(ROOT, 'skills', `${name}.skill.ts`))
    const { params } = frontmatter.metadata
    expectInSchema('frontmatter.json', ['properties', 'metadata', 'properties', name], {
      description: `The middleware \`${name}\`. ${params.description}`,
      // Absent, and known only once arguments are filled in.
      anyOf: [{ type: 'null' }, { type: 'string', pattern: '\\$\\{' }, params],
    })
  })
})

function expectInSchema(file: string, path: string[], value: object): void {
  const generated = path.reduce(
    (at, key) => at[key] as Record<string, unknown>,
    schema(file) as Record<string, unknown>,
  )
  expect(generated).toEqual(value)
}

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
    [false, { path: [] }],
    [false, { rules: { nope: 'off' } }],
    [false, { rules: { 'main-broken': 'off' } }],
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

  it('except that an editor marks a field of another program, which the reader keeps', async () => {
    const theirs = { theirs: { any: 1 } }
    const cwd = makeTree({ 'agent-apps.config.json': JSON.stringify(theirs) })
    expect((await loadConfig({ cwd }).catch(error => error)).code).not.toBe('CONFIG_INVALID')
    expect(isConfig(theirs)).toBe(false)
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
