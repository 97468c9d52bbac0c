import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime, type ErrorCode, isAgentAppsError, type Runtime, renderCatalog } from 'agent-apps'
import { check, clean, compile, compileBundle, loadConfig, watch } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill } from '../support/tree.js'

/** Options as a program without types gives them. */
const loosely = (work: (options: never) => unknown, options: unknown): unknown => work(options as never)

async function failure(
  work: () => unknown,
): Promise<{ code: ErrorCode; message: string; hint: string } | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (isAgentAppsError(error)) return error
    throw error
  }
}

const WRONG: [options: unknown, message: RegExp, hint: RegExp][] = [
  [{ paths: './skills' }, /`paths` of `\w+` must be an array/, /paths/],
  [{ paths: ['skills', ''] }, /`paths` of `\w+` must be an array of path entries/, /paths/],
  [{ paths: [3] }, /`paths` of `\w+` must be an array of path entries/, /paths/],
  [{ paths: [null] }, /`paths` of `\w+` must be an array of path entries/, /paths/],
  [
    { paths: [{ dir: 'skills', extrenal: true }] },
    /`paths` of `\w+` must be an array of path entries/,
    /paths/,
  ],
  [
    { paths: [{ dir: 'skills', layer: 'mine' }] },
    /`paths` of `\w+` must be an array of path entries/,
    /paths/,
  ],
  [{ paths: [{ ignore: [1] }] }, /`paths` of `\w+` must be an array of path entries/, /paths/],
  [{ paths: ['skills'], cwd: 3 }, /`cwd` of `\w+` must be a string/, /cwd/],
  [{ path: ['skills'] }, /`path` of `\w+` is not known/, /Did you mean `paths`/],
  [{ paths: ['skills'], zzzzzz: 1 }, /`zzzzzz` of `\w+` is not known/, /Its options are paths, /],
  [{ paths: ['skills'], external: 'pg' }, /`external` of `\w+` must be an array of strings/, /external/],
  [
    { paths: ['skills'], external: ['./pg'] },
    /`external` .*, and "\.\/pg" is none/,
    /package\.json; `external`/,
  ],
]

describe('options that are wrong are told', () => {
  it.each(WRONG)('%j', async (options, message, hint) => {
    for (const work of [compile, check, clean]) {
      const error = await failure(() => loosely(work, options))
      expect(error?.code).toBe('OPTIONS_INVALID')
      expect(error?.message).toMatch(message)
      expect(error?.hint).toMatch(hint)
    }
  })

  it.each([
    [createRuntime, { paths: './skills' }, 'Its options are paths'],
    [createRuntime, { paths: ['skills', ''] }, 'Its options are paths'],
    [createRuntime, { paths: [null] }, 'Its options are paths'],
    [createRuntime, { paths: [{ directory: 'skills' }] }, 'Its options are paths'],
    [createRuntime, { paths: [], freshnes: 'trust' }, 'Did you mean `freshness`?'],
    [createRuntime, { paths: [], freshness: 'always' }, 'Its options are paths, cwd, freshness'],
    [createRuntime, { paths: [], maxDepth: '3' }, 'Its options are paths'],
    [createRuntime, { paths: null }, 'Its options are paths'],
    [createRuntime, { project: ['.'] }, 'Its options are paths'],
    [createRuntime, null, 'Its options are paths'],
    [compile, { paths: [], froce: true }, 'Did you mean `force`?'],
    [compile, { paths: [], signal: 3 }, 'Its options are paths'],
    [check, { paths: [], fixx: true }, 'Did you mean `fix`?'],
    [clean, { paths: [], dryrun: true }, 'Did you mean `dryRun`?'],
    [loadConfig, { globl: true }, 'Did you mean `global`?'],
  ] as [(options: never) => unknown, unknown, string][])('%o %j', async (work, options, hint) => {
    const error = await failure(() => loosely(work, options))
    expect(error?.code).toBe('OPTIONS_INVALID')
    expect(error?.hint).toContain(hint)
  })

  it('null is not an object: neither for an option, nor for all of them', async () => {
    const cwd = makeTree({ 'skills/a.skill.md': skill('a') })
    const paths = ['skills']
    const bundle = join(cwd, 'agent.mjs')
    await compile({ cwd, paths, ...(isLong && { bundle }) })
    const bundled = async () => ((await import(pathToFileURL(bundle).href)) as { runtime: Runtime }).runtime
    const runtimes = [
      createRuntime({ cwd, paths, freshness: 'check' }),
      createRuntime({ cwd, paths, freshness: 'trust' }),
      ...(isLong ? [await bundled()] : []),
    ]
    const wrong: [work: () => unknown, message: string][] = runtimes.flatMap(runtime => [
      ...['policy', 'signal', 'nonlocals'].map((name): [() => unknown, string] => [
        () => runtime.invoke('a', undefined, { [name]: null } as never),
        `The option \`${name}\` of \`invoke\` must be an object`,
      ]),
      [() => runtime.invoke('a', undefined, null as never), 'The options of `invoke` must be an object'],
      [() => runtime.forAgent(null as never).listTools(), 'The options of `forAgent` must be an object'],
      [() => runtime.render('a', null as never), 'The options of `render` must be an object'],
    ])
    for (const [name, work] of Object.entries({ compile, check, clean, compileBundle, watch, loadConfig }))
      wrong.push([() => loosely(work, null), `The options of \`${name}\` must be an object`])
    for (const [name, work] of Object.entries({ compile, compileBundle, watch }))
      wrong.push([
        () => loosely(work, { cwd, paths, signal: null }),
        `The option \`signal\` of \`${name}\` must be an object`,
      ])
    wrong.push([() => renderCatalog([], null as never), 'The options of `renderCatalog` must be an object'])
    for (const [work, message] of wrong) {
      expect(await failure(work), message).toMatchObject({
        code: 'OPTIONS_INVALID',
        message: expect.stringContaining(message),
        hint: expect.stringMatching(/^Its options are /),
      })
    }
    expect(await runtimes[0]?.render('a', { args: {} })).toBe('Do a.\n')
  })

  it('an option that is undefined is one that is not given', async () => {
    const cwd = makeTree({ 'skills/a.skill.md': skill('a') })
    const undefineds = { force: undefined, signal: undefined, external: undefined, config: undefined }
    expect((await compile({ cwd, paths: ['skills'], ...undefineds })).counts.found).toBe(1)
    const options = { cwd, paths: ['skills'], freshness: undefined, library: undefined }
    expect(await (loosely(createRuntime, options) as ReturnType<typeof createRuntime>).invoke('a')).toBe(
      'Do a.\n',
    )
  })
})

it('docs/resolving.md tells of each option of createRuntime', async () => {
  const page = readFileSync(join(ROOT, 'docs/resolving.md'), 'utf8')
  const [, table = ''] = /\| option \| meaning \| default \|\n([\s\S]*?)\n\n/.exec(page) ?? []
  const told = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name)
  const error = await failure(() => loosely(createRuntime, { paths: [], zzzzzz: true }))
  expect(error?.hint).toMatch(/^Its options are /)
  expect(told.toSorted()).toEqual(error?.hint.slice('Its options are '.length, -1).split(', ').toSorted())
})

describe('a configuration that is wrong is told', () => {
  it.each([
    ['{ "paths": ["skills"], "freshnes": "trust" }', 'did you mean `freshness`?'],
    ['{ "path": ["skills"] }', 'did you mean `paths`?'],
    ['{ "external": "pg" }', '`external` must be an array of strings'],
    ['{ "paths": [{ "dir": "skills", "extrenal": true }] }', '`paths` must be an array'],
    [
      '{ "paths": ["skills", { "dir": "b", "extern": true }] }',
      'and {"dir":"b","extern":true} is none: it has a key `extern`; did you mean `external`?',
    ],
    ['{ "paths": ["skills", 3] }', 'and 3 is none.'],
    ['[]', 'must be a mapping'],
  ])('%s', async (text, problem) => {
    const cwd = makeTree({ 'agent-apps.config.json': text })
    const error = await failure(() => loadConfig({ cwd }))
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', file: join(cwd, 'agent-apps.config.json') })
    expect(error?.message).toContain(problem)
    expect(error?.message).toMatch(/[^?.][?.]$/)
    const [, page = ''] = /node_modules\/agent-apps\/(\S+)/.exec(error?.hint ?? '') ?? []
    expect([page, existsSync(join(ROOT, page))]).toEqual(['docs/configuration.md', true])
  })

  it('fields of others are kept', async () => {
    const cwd = makeTree({ 'agent-apps.config.json': '{ "paths": ["skills"], "model": "large" }' })
    expect((await loadConfig({ cwd })).config).toEqual({ paths: ['skills'], model: 'large' })
  })
})

it('a path that does not exist needs no reader of skills', async () => {
  const runtime = createRuntime({ paths: [join(temporary(), 'absent')], library: false, freshness: 'trust' })
  expect(await runtime.findTool('a')).toBeNull()
  expect(await runtime.listTools()).toEqual([])
  expect(runtime.stats().parser).toBe('unused')
})
