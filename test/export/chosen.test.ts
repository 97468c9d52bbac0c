import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAgentAppsError } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { type ExportOptions, exportSkills } from 'agent-apps/export'
import { describe, expect, it } from 'vitest'
import { EXPORT_PROJECT, exported } from '../support/export-project.js'
import { oneIn } from '../support/long.js'
import { makeTree, skill, snapshot, type Tree } from '../support/tree.js'

const CONFIG = { 'agent-apps.config.json': JSON.stringify({ paths: ['./skills'], env: ['HOME'] }) }

/** Exports a tree's skills as plain folders, and gives their texts by name. */
async function texts(tree: Tree): Promise<Record<string, string>> {
  const { dir, result } = await exported('skills', { tree: { ...CONFIG, ...tree } })
  return Object.fromEntries(
    result.skills.map(({ name }) => [name, readFileSync(join(dir, name, 'SKILL.md'), 'utf8')]),
  )
}

async function failure(promise: Promise<unknown>): Promise<{ code: string; message: string; hint: string }> {
  const error: unknown = await promise.then(
    () => null,
    thrown => thrown,
  )
  if (!isAgentAppsError(error)) throw new Error('It was to fail', { cause: error })
  return error
}

it('a plugin keeps what only its user calls, and nothing else that is hidden', async () => {
  const tree = {
    ...EXPORT_PROJECT,
    'skills/hidden/SKILL.md': skill('hidden', 'x\n', 'metadata: { visibility: hidden }\n'),
    'skills/users-only/SKILL.md': skill('users-only', 'x\n', 'disable-model-invocation: true\n'),
  }
  const { result, dir } = await exported('plugin', { tree, patterns: ['hidden', 'users-only'] })
  expect(result.leftOut).toEqual([{ tool: 'hidden', reason: 'is hidden from models' }])
  expect(result.skills.map(({ name }) => name)).toEqual(['users-only'])
  expect(readFileSync(join(dir, 'skills/users-only/SKILL.md'), 'utf8')).toBe(
    tree['skills/users-only/SKILL.md'],
  )
})

describe('what is left out', () => {
  it('is told with the reason', async () => {
    const hidden = skill('hidden', 'x\n', 'metadata: { visibility: hidden }\n')
    const { result, dir } = await exported('skills', {
      tree: {
        ...EXPORT_PROJECT,
        'skills/hidden/SKILL.md': hidden,
        'skills/users-only/SKILL.md': skill('users-only', 'x\n', 'disable-model-invocation: true\n'),
        'skills/off/SKILL.md': skill('off', 'x\n', 'metadata: { enabled: false }\n'),
        'skills/around.skill.md': skill('around', 'x\n', 'metadata: { role: middleware }\n'),
        'skills/bare.skill.md': '---\nname: bare\n---\nx\n',
        [`skills/${'long-'.repeat(13)}er/SKILL.md`]: skill(`${'long-'.repeat(13)}er`),
        'skills/greet.skill.md': skill(
          'greet',
          'Hello :value[args.name].\n',
          'metadata: { params: { type: object, properties: { name: { type: string } }, required: [name] } }\n',
        ),
        'skills/loop/SKILL.md': skill('loop', ':include[SKILL.md]\n'),
      },
    })
    expect(result.leftOut).toEqual([
      { tool: 'around', reason: 'has the role `middleware`, and is not shown to models' },
      { tool: 'bare', reason: 'has no description, which other hosts need' },
      { tool: 'greet', reason: 'has a content that needs arguments' },
      { tool: 'hidden', reason: 'is hidden from models' },
      {
        tool: `${'long-'.repeat(13)}er`,
        reason: "has a name of more than 64 characters, the specification's limit",
      },
      { tool: 'loop', reason: expect.stringMatching(/^cannot be exported: .*loop/), code: 'CONTENT_CYCLE' },
      { tool: 'off', reason: 'is disabled' },
      { tool: 'users-only', reason: 'is hidden from models' },
      { tool: 'word-count', reason: 'runs code, which only a plugin can' },
    ])
    expect(result.skills.map(({ name }) => name)).toEqual(['lint', 'pdf', 'review'])
    expect(Object.keys(snapshot(dir)).filter(path => /hidden|users|off|loop/.test(path))).toEqual([])
  })

  it('is also what a pattern does not select, and what it selects and models are not shown', async () => {
    const { result } = await exported('skills', { patterns: ['p*', 'lint'] })
    expect(result.skills.map(({ tool }) => tool)).toEqual(['lint', 'pdf'])
    const hidden = { 'skills/shy/SKILL.md': skill('shy', 'x\n', 'metadata: { visibility: hidden }\n') }
    const tree = { ...EXPORT_PROJECT, ...hidden }
    expect(await failure(exported('skills', { tree, patterns: ['shy'] }))).toMatchObject({
      code: 'EXPORT_EMPTY',
      message: 'Nothing can be exported: shy is hidden from models.',
    })
    expect(await failure(exported('skills', { tree, patterns: ['nope'] }))).toMatchObject({
      code: 'EXPORT_EMPTY',
      message: 'There is nothing to export: no skill matches nope.',
    })
  })

  it('are the tools of the library, and those of others', async () => {
    const { result } = await exported('skills', {
      tree: {
        'own/mine/SKILL.md': skill('mine'),
        'theirs/yours/SKILL.md': skill('yours'),
        'users/ours/SKILL.md': skill('ours'),
      },
      paths: ['own', { dir: 'theirs', external: true }, { dir: 'users', layer: 'global' }],
    })
    expect(result.skills.map(({ name }) => name)).toEqual(['mine'])
    expect(result.leftOut).toEqual([])
  })

  it.each(['from files', 'compiled'])('is what inherits code to run, %s', async way => {
    const cwd = makeTree({
      ...CONFIG,
      'skills/pdf/SKILL.md': skill('pdf'),
      'skills/base.skill.md': skill(
        'base',
        'x\n',
        "metadata: { delegate: 'inline://code, export default () => 1' }\n",
      ),
      'skills/heir/SKILL.md': skill('heir', 'x\n', 'metadata: { $inherit: base }\n'),
      'skills/other/SKILL.md': skill('other', 'x\n', 'metadata: { $inherit: pdf }\n'),
    })
    if (way === 'compiled') await compile({ cwd })
    const { result } = await exported('skills', { cwd })
    expect(result.skills.map(({ name }) => name)).toEqual(['other', 'pdf'])
    expect(result.leftOut.map(({ tool }) => tool)).toEqual(['base', 'heir'])
  })

  it('are secrets, and what a link leads to out of the skill', async () => {
    const { dir } = await exported('skills', {
      tree: {
        ...CONFIG,
        'secret.txt': 'hush\n',
        'skills/pdf/SKILL.md': skill('pdf'),
        'skills/pdf/.env': 'KEY=hush\n',
        'skills/pdf/notes.txt': { link: '../../secret.txt' },
        'skills/pdf/.git/config': 'hush\n',
        'skills/pdf/guide.md': 'Read.\n',
      },
    })
    expect(Object.keys(snapshot(join(dir, 'pdf')))).toEqual(['SKILL.md', 'guide.md'])
  })
})

it.each(
  oneIn(2, [
    [{ to: 'zip' }, 'takes no `to` "zip"'],
    [{ dir: '' }, 'needs a `dir`'],
    [{ dir: 1 }, 'needs a `dir`'],
    [{ name: 'kit' }, 'takes a `name` only for a plugin'],
    [{ dryRun: 'yes' }, 'takes a boolean as `dryRun`'],
    [{ patterns: 'pdf' }, 'takes an array of strings as `patterns`'],
    [{ patterns: ['pdf('] }, 'The pattern "pdf("'],
    [{ pattern: ['pdf'] }, 'has no option "pattern"'],
  ]),
)('the options %j are refused', async (options, message) => {
  const given = { to: 'skills', dir: 'out', cwd: makeTree(EXPORT_PROJECT), ...options }
  const { code, message: said } = await failure(exportSkills(given as ExportOptions))
  expect(code).toBe('OPTIONS_INVALID')
  expect(said).toContain(message)
})

it.each([
  ['SKILL.md', 'skill.md'],
  ['a/Notes.md', 'a/notes.md'],
  ['\u00e9.md', 'e\u0301.md'],
])('a skill with %j and %j, one file on many systems, is left out', async (one, other) => {
  const tree = {
    ...CONFIG,
    ...{ 'skills/pdf/SKILL.md': skill('pdf'), 'skills/lint/SKILL.md': skill('lint') },
    ...(one !== 'SKILL.md' && { [`skills/pdf/${one}`]: 'One.\n' }),
    [`skills/pdf/${other}`]: 'Other.\n',
  }
  const cwd = makeTree(tree)
  // Where they are one here as well, there is nothing to refuse.
  const isOne = Object.keys(snapshot(join(cwd, 'skills/pdf'))).length < Object.keys(tree).length - 2
  const { result } = await exported('skills', { cwd })
  const leftOut = [{ tool: 'pdf', code: 'EXPORT_CLASH', reason: expect.stringContaining('one file on many') }]
  expect(result.leftOut).toEqual(isOne ? [] : leftOut)
  expect(result.skills.map(({ name }) => name)).toContain('lint')
})

describe('names', () => {
  const tree: Tree = {
    'agent-apps.config.json': JSON.stringify({
      paths: [
        { dir: './a', namespace: 'acme' },
        { dir: './b', namespace: 'beta' },
      ],
    }),
    'a/deploy/SKILL.md': skill('deploy', 'Of acme.\n'),
    'a/test/SKILL.md': skill('test'),
    'b/deploy/SKILL.md': skill('deploy', 'Of beta.\n'),
  }

  it.each(['well-known', 'plugin', 'skills'] as const)('that clash are refused in %s', async to => {
    const cwd = makeTree(tree)
    const before = snapshot(cwd)
    const { code, message, hint } = await failure(exportSkills({ to, dir: 'out', cwd, ...named(to) }))
    expect(code).toBe('EXPORT_CLASH')
    expect(message).toBe(
      'Other hosts have no namespaces, and these skills would share a name: "deploy": acme:deploy, beta:deploy.',
    )
    expect(hint).toMatch(/pattern/)
    expect(snapshot(cwd)).toEqual(before)
  })

  it('lose their namespace, and one that a pattern selects clashes with none', async () => {
    const { dir, result } = await exported('skills', { tree, patterns: ['beta:*', 'test'] })
    expect(result.skills.map(({ name, tool }) => `${tool} as ${name}`)).toEqual([
      'acme:test as test',
      'beta:deploy as deploy',
    ])
    expect(readFileSync(join(dir, 'deploy/SKILL.md'), 'utf8')).toBe(skill('deploy', 'Of beta.\n'))
  })

  const named = (to: string): { name?: string } => (to === 'plugin' ? { name: 'kit' } : {})
})

describe('a skill’s file', () => {
  it('stays byte for byte what it is where nothing in it is ours', async () => {
    const plain =
      '---\n# Ours.\nname:   plain\ndescription: >-\n  Plain\n  text.\nmetadata:\n  author: "Ann"\n---\r\nDo it.'
    expect(await texts({ 'skills/plain/SKILL.md': plain })).toEqual({ plain })
  })

  it('is written anew where other parsers would read it otherwise', async () => {
    const mended = await texts({
      'skills/colon/SKILL.md': '---\nname: colon\ndescription: Use when: a change is open\n---\nDo it.\n',
      'skills/2024-01-31/SKILL.md': '---\nname: 2024-01-31\ndescription: A date.\n---\nDo it.\n',
      'skills/other/SKILL.md': '---\nname: An Other\ndescription: Another.\nlicense: 2\n---\nDo it.\n',
    })
    expect(mended).toEqual({
      colon: '---\nname: colon\ndescription: "Use when: a change is open"\n---\nDo it.\n',
      '2024-01-31': '---\nname: "2024-01-31"\ndescription: A date.\n---\nDo it.\n',
      other: '---\nname: other\ndescription: Another.\n---\nDo it.\n',
    })
  })

  it('has its directives run, values without arguments, and nothing of the author’s environment', async () => {
    const body = `Home is ":value[env.HOME]". For :value[args.who]{default="all"}: \${args.who}, \\\${x}.\n`
    const params = 'params: { type: object, properties: { who: { type: string } } }'
    const { dir, result } = await exported('skills', {
      tree: {
        ...CONFIG,
        'skills/ask/SKILL.md': skill('ask', body, `metadata: { interpolate: true, ${params} }\n`),
      },
    })
    expect(readFileSync(join(dir, 'ask/SKILL.md'), 'utf8').split('---\n')[2]).toBe(
      'Home is "". For all: , ${x}.\n',
    )
    expect(result.remarks).toEqual([
      { tool: 'ask', message: 'is exported without `metadata.interpolate`' },
      { tool: 'ask', message: 'is exported with the content that it has without arguments' },
    ])
  })

  it('has `metadata` of strings, in their order, and says what is not in it', async () => {
    const fields =
      'argument-hint: "[change]"\nmetadata:\n  a: one\n  timeout: 5000\n  b: "2"\n  agent-apps: "{ tags: [x] }"\n  $inherit: base\n'
    const tree = {
      'skills/base/SKILL.md': skill('base'),
      'skills/ours/SKILL.md': skill('ours', 'See [it](../base/SKILL.md).\n', fields),
    }
    const { ours } = await texts(tree)
    expect(ours).toContain(
      'metadata:\n  a: one\n  agent-apps: "{\\"timeout\\":5000,\\"tags\\":[\\"x\\"]}"\n  b: "2"\n---\n',
    )
    const { result } = await exported('skills', { tree: { ...CONFIG, ...tree } })
    expect(result.remarks).toEqual([
      { tool: 'ours', message: 'is exported without `argument-hint`, `metadata.$inherit`' },
      { tool: 'ours', message: 'links in line 12 to ../base/SKILL.md, which is not in its folder' },
    ])
  })

  it('keeps a host’s own fields in that host’s plugin', { tags: 'long' }, async () => {
    const { dir } = await exported('plugin')
    expect(readFileSync(join(dir, 'skills/review/SKILL.md'), 'utf8')).toContain('argument-hint: "[change]"\n')
  })
})
