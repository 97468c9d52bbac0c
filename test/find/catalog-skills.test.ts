import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, type OpenedSkill, type Runtime, registerTool, type ToolFunction } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { temporary } from '../support/temporary.js'
import { makeTree, type Tree } from '../support/tree.js'

const TREE: Tree = {
  'skills/SKILL.md': '---\nname: main\ndescription: Main.\nmetadata: { role: main }\n---\n',
  'skills/review/SKILL.md':
    '---\nname: review\ndescription: Reviews a pull request.\nmetadata: { tags: [code, quality] }\n---\nRun scripts/look.py.\n',
  'skills/review/scripts/look.py': 'print(1)\n',
  'skills/review/notes.txt': 'notes',
  'skills/search.skill.md': `---
name: search
description: Searches the code.
metadata:
  tags: [code]
  params: { $resolve: nonlocals.schema, type: object, properties: { text: { type: string } } }
  returns: { type: string }
---
Search.
`,
  'skills/secret.skill.md':
    '---\nname: secret\ndescription: Kept.\nmetadata: { visibility: hidden, tags: [code] }\n---\nSecret.\n',
  'skills/off.skill.md': '---\nname: off\ndescription: Off.\nmetadata: { enabled: false }\n---\nOff.\n',
  'skills/run/SKILL.md':
    '---\nname: run\ndescription: Runs.\nmetadata: { delegate: "inline://code,export default () => \'ran\'" }\n---\nText.\n',
}

/** The library's own that a model may call, where the host has no models. */
const CALLABLE = ['agent-discover', 'skill-describe', 'skill-list']

interface Structured {
  title: string
  output: { tools: { name: string }[]; more?: number } & Record<string, unknown>
}

const newProject = (): string => makeTree({ 'package.json': '{}\n', ...TREE })

let compiledOnce: string | undefined
async function compiledProject(): Promise<string> {
  if (compiledOnce === undefined) {
    compiledOnce = newProject()
    await compile({ cwd: compiledOnce, paths: ['skills'] })
  }
  const cwd = temporary()
  cpSync(compiledOnce, cwd, { recursive: true, preserveTimestamps: true })
  return cwd
}

/** Does the same with the files and with the index. */
function bothWays(work: (runtime: Runtime, cwd: string) => Promise<void>): () => Promise<void> {
  return async () => {
    for (const via of ['disk', 'index']) {
      const cwd = via === 'index' ? await compiledProject() : newProject()
      const runtime = createRuntime({ cwd, paths: ['skills'] })
      await work(runtime, cwd)
      expect((await runtime.findTool('review'))?.origin.via).toBe(via)
    }
  }
}

const names = (result: unknown): string[] => (result as Structured).output.tools.map(({ name }) => name)

it('the tools of the library are found by name, and listed last', async () => {
  const runtime = createRuntime({ cwd: makeTree(TREE), paths: ['skills'] })
  const listed = (await runtime.listTools()).map(({ name }) => name)
  for (const name of ['skill-list', 'skill-describe', 'agent-discover']) {
    expect((await runtime.forAgent().findTool(name))?.frontmatter.tags).toEqual([
      'meta-runnable',
      'meta-internal',
    ])
    expect(listed.indexOf(name)).toBeGreaterThan(listed.indexOf('secret'))
  }
})

describe('skill-list', () => {
  it(
    'lists what is not hidden, by tags and patterns',
    bothWays(async ({ invoke }) => {
      const list = async (args?: object) => names(await invoke('skill-list', args))
      const own = ['main', 'off', 'review', 'run', 'search']
      expect((await list()).slice(0, 7)).toEqual([...own, 'agent', 'agent-discover'])
      expect(await list({ tags: ['meta-internal', 'meta-runnable'] })).toEqual(['agent', ...CALLABLE])
      expect(await list({ includeHidden: true })).toContain('secret')
      expect(await list({ tags: ['Code'] })).toEqual(['review', 'search'])
      expect(await list({ tags: ['code', 'quality'] })).toEqual(['review'])
      expect(await list({ tags: ['code'], includeHidden: true })).toEqual(['review', 'search', 'secret'])
      expect(await list({ pattern: 'se* #quality' })).toEqual(['review', 'search'])
      expect(await list({ pattern: '' })).toEqual([])
      expect((await invoke('skill-list', { limit: 2, offset: 1 })) as Structured).toMatchObject({
        title: '15 tools',
        output: { more: 12, tools: [{ name: 'off' }, { name: 'review', tags: ['code', 'quality'] }] },
      })
      await expect(invoke('skill-list', { tag: 'x' })).rejects.toMatchObject({ code: 'ARGS_INVALID' })
    }),
  )

  it(
    'shows an agent what it may see',
    bothWays(async ({ forAgent }) => {
      const list = async (allowedTools?: string, args = {}) =>
        names(await forAgent({ allowedTools }).invoke('skill-list', args))
      expect(await list(undefined, { includeHidden: true })).toEqual(['review', 'run', 'search', ...CALLABLE])
      expect(await list('skill-list re*')).toEqual(['review', 'skill-list'])
      expect(await list('* review($deny) run(x=1,$deny)')).toEqual(['run', 'search', ...CALLABLE])
    }),
  )

  it('shows it no more than the skill may call in whose name it asks', async () => {
    const { globals, invoke } = createRuntime({ cwd: makeTree(TREE), paths: ['skills'] })
    const asks =
      (as: 'agent' | 'code'): ToolFunction =>
      ctx =>
        (ctx as { manager: { invoke: (...args: unknown[]) => unknown } }).manager.invoke(
          'skill-list',
          {},
          { as },
        )
    const options = { description: 'Asks.', allowedTools: 'skill-list search' }
    registerTool(globals, { name: 'careful', ...options, fn: asks('agent') })
    registerTool(globals, { name: 'author', ...options, fn: asks('code') })
    expect(names(await invoke('careful'))).toEqual(['search', 'skill-list'])
    expect(names(await invoke('author'))).toContain('review')
  })
})

describe('skill-describe', () => {
  it(
    'says what a tool is, content on demand',
    bothWays(async ({ invoke, forAgent }, cwd) => {
      const review = {
        name: 'review',
        description: 'Reviews a pull request.',
        tags: ['code', 'quality'],
        kind: 'folder',
        role: 'context',
        directory: join(cwd, 'skills/review'),
        resources: [
          { path: 'notes.txt', size: 5 },
          { path: 'scripts/look.py', size: 9 },
        ],
      }
      const describe = async (args: object) => ((await invoke('skill-describe', args)) as Structured).output
      expect(await describe({ name: 'review' })).toEqual(review)
      expect(await describe({ name: 'review', content: true })).toEqual({
        ...review,
        content: 'Run scripts/look.py.\n',
      })
      expect(((await forAgent().invoke('skill-describe', { name: 'review' })) as Structured).output).toEqual(
        review,
      )
      expect(await describe({ name: 'secret' })).toMatchObject({ visibility: 'hidden' })
    }),
  )

  it(
    'resolves the schemas',
    bothWays(async ({ invoke }) => {
      const params = async (nonlocals?: Record<string, unknown>) =>
        ((await invoke('skill-describe', { name: 'search' }, { nonlocals })) as Structured).output
      expect(await params()).toMatchObject({
        params: { properties: { text: {} } },
        returns: { type: 'string' },
      })
      expect((await params({ schema: { type: 'object', title: 'Theirs' } })).params).toEqual({
        type: 'object',
        title: 'Theirs',
      })
      const discovered = (await invoke(
        'agent-discover',
        { query: 'search' },
        { nonlocals: { schema: { title: 'Theirs' } } },
      )) as Structured
      expect(discovered.output.tools[0]).toMatchObject({ name: 'search', params: { title: 'Theirs' } })
    }),
  )

  it(
    'tells an agent of nothing that it may not call',
    bothWays(async ({ invoke, forAgent }) => {
      const code = (name: string, allowedTools?: string) =>
        forAgent({ allowedTools })
          .invoke('skill-describe', { name })
          .then(
            () => 'described',
            error => error.code,
          )
      expect(await code('review')).toBe('described')
      expect(await code('review', 'skill-describe search')).toBe('TOOL_NOT_FOUND')
      for (const name of ['secret', 'off', 'absent']) expect(await code(name)).toBe('TOOL_NOT_FOUND')
      for (const name of ['./skills/review', 'layer://project/secret', 'inline://code,1'])
        expect(await code(name)).toBe('TOOL_DENIED')
      await expect(invoke('skill-describe', { name: 'reviev' })).rejects.toMatchObject({
        code: 'TOOL_NOT_FOUND',
        hint: 'Did you mean "review"?',
      })
    }),
  )
})

describe('agent-discover', () => {
  it(
    'finds by words, the best first, whatever code may see',
    bothWays(async ({ invoke, forAgent }) => {
      const find = async (args: object) => names(await invoke('agent-discover', args))
      expect(await find({ query: 'code review' })).toEqual(['review', 'search'])
      expect(await find({ query: 'CODE' })).toEqual(['search', 'review'])
      expect(await find({ query: 'nowhere' })).toEqual([])
      expect(await find({ tags: ['code'] })).toEqual(['review', 'search'])
      expect(await find({ pattern: 's*' })).toEqual(['search'])
      expect(await find({ query: 'list tools' })).toEqual([])
      expect((await invoke('agent-discover', { limit: 1 })) as Structured).toMatchObject({
        output: { more: 2 },
      })
      const agent = forAgent({ allowedTools: 'agent-discover search' })
      expect(names(await agent.invoke('agent-discover', { query: 'code' }))).toEqual(['search'])
    }),
  )
})

describe('a folder skill that an agent opens', () => {
  it(
    'comes with its folder and files, and for code is its text',
    bothWays(async ({ invoke, forAgent, readResource }, cwd) => {
      const opened = (await forAgent().invoke('review')) as OpenedSkill
      expect(opened).toEqual({
        content: 'Run scripts/look.py.\n',
        directory: join(cwd, 'skills/review'),
        resources: [
          { path: 'notes.txt', size: 5 },
          { path: 'scripts/look.py', size: 9 },
        ],
      })
      const bytes = await readResource('review', opened.resources[1]?.path ?? '')
      expect(new TextDecoder().decode(bytes)).toBe('print(1)\n')
      expect(await invoke('review')).toBe('Run scripts/look.py.\n')
      expect(await invoke('review', {}, { as: 'agent' })).toEqual(opened)
      expect(await forAgent().invoke('search')).toBe('Search.\n')
      expect(await forAgent().invoke('run')).toBe('ran')
    }),
  )

  it('is what its middleware made of the text', async () => {
    const cwd = makeTree({
      'skills/long/SKILL.md':
        '---\nname: long\ndescription: Long.\nmetadata: { limit: 4 }\n---\nA long text.\n',
    })
    for (const compiled of [false, true]) {
      if (compiled) await compile({ cwd, paths: ['skills'] })
      const opened = await createRuntime({ cwd, paths: ['skills'] })
        .forAgent()
        .invoke('long')
      expect(opened).toMatchObject({ content: 'A lo\n[Cut: 4 of 13 characters.]', resources: [] })
    }
  })

  it('that is gone is an error as before', async () => {
    const cwd = makeTree(TREE)
    await compile({ cwd, paths: ['skills'] })
    const { forAgent } = createRuntime({ cwd, paths: ['skills'], freshness: 'trust' })
    expect(await forAgent().findTool('review')).not.toBeNull()
    rmSync(join(cwd, 'skills/review'), { recursive: true })
    await expect(forAgent().invoke('review')).rejects.toThrow()
  })
})

describe('the directive `tools`', () => {
  const help = '---\nname: help\ndescription: Helps.\n---\n::tools[*]\n'

  async function listed(via: string, read: (runtime: Runtime) => Promise<unknown>): Promise<string[]> {
    const cwd = makeTree({ 'package.json': '{}\n', ...TREE, 'skills/help.skill.md': help })
    if (via === 'index') await compile({ cwd, paths: ['skills'] })
    const text = String(await read(createRuntime({ cwd, paths: ['skills'] })))
    return [...text.matchAll(/^- `(.*?)`/gm)].map(([, name = '']) => name)
  }

  it.each(['disk', 'index'])(
    'lists what a model is shown: nothing hidden or disabled, from %s',
    async via => {
      expect(await listed(via, ({ render }) => render('help'))).toEqual(['help', 'review', 'run', 'search'])
    },
  )

  it.each(['disk', 'index'])("lists the library's own on demand, from %s", async via => {
    const cwd = makeTree({
      'package.json': '{}\n',
      ...TREE,
      'skills/help.skill.md': '---\nname: help\n---\n::tools[#meta-internal]{library}\n',
    })
    if (via === 'index') await compile({ cwd, paths: ['skills'] })
    const text = await createRuntime({ cwd, paths: ['skills'] }).render('help')
    expect([...text.matchAll(/^- `(.*?)`/gm)].map(([, name]) => name)).toEqual(CALLABLE)
  })

  it.each(['disk', 'index'])('lists to an agent what it may call, from %s', async via => {
    const policy = { allowedTools: 'help re*' }
    expect(await listed(via, ({ forAgent }) => forAgent(policy).invoke('help'))).toEqual(['help', 'review'])
  })
})
