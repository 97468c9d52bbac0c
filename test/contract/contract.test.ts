import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCallbackRef, createRuntime, parsePatterns, renderCatalog, trustOf } from 'agent-apps'
import { check } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { EACH_WAY, outcome, type Project, project } from '../support/four-ways.js'
import { ROOT, runCode } from '../support/processes.js'
import type { Tree } from '../support/tree.js'

const EXAMPLES = fileURLToPath(new URL('examples', import.meta.url))
/** The one of them that has no description. */
const GREET = readFileSync(join(EXAMPLES, 'skills/greet.skill.md'), 'utf8')
const PATTERNS = readFileSync(join(EXAMPLES, 'patterns.yaml'), 'utf8')
const LISTS = [...PATTERNS.matchAll(/^allowed-tools: "(.*)"$/gm)].map(([, list = '']) => list)

/** A code skill that takes any object and says that it ran. */
function plain(name: string, metadata: object = {}): string {
  const frontmatter = {
    name,
    description: `Is ${name}.`,
    metadata: { params: { type: 'object' }, ...metadata },
  }
  return `export const frontmatter = ${JSON.stringify(frontmatter)}\nexport default () => '${name} ran'\n`
}

/** Calls what it is told to as a model would in its name. */
function calling(name: string, allowed: string): string {
  return `---\nname: ${name}\ndescription: Calls.\nallowed-tools: ${allowed}\nmetadata: { delegate: ./lib/call-as-agent.js }\n---\n`
}

const MORE: Tree = {
  ...Object.fromEntries(
    ['custom-tool', 'other', 'file-read', 'agent', 'context-manager'].map(name => [
      `skills/${name}.skill.js`,
      plain(name),
    ]),
  ),
  'skills/rm.skill.js': plain('rm', { tags: ['destructive'] }),
  ...Object.fromEntries(
    LISTS.map((list, number) => [`skills/list-${number}.skill.md`, calling(`list-${number}`, `"${list}"`)]),
  ),
  'skills/escaped.skill.md': calling('escaped', '$skill-list'),
  'skills/joined.skill.md': calling('joined', '[file-read, "agent(allowedTools=file-read)"]'),
}

interface Structured {
  output: { tools: { name: string; tags?: string[]; params?: object; returns?: object }[] } & Record<
    string,
    unknown
  >
}

describe.each(EACH_WAY)('%s', way => {
  let made: Project
  const invoke: Project['runtime']['invoke'] = (...call) => made.runtime.invoke(...call)
  beforeAll(async () => {
    made = await project(way, MORE, EXAMPLES)
  })

  describe('tool formats', () => {
    it('a code skill exports its frontmatter and a default async function', async () => {
      expect(await invoke('validate', { title: 'A note' })).toEqual({ valid: true })
      expect(await invoke('validate', {})).toEqual({ error: 'INVALID', message: 'Title required' })
      const tool = await made.runtime.findTool('validate')
      expect(tool).toMatchObject({ kind: 'code', frontmatter: { description: 'Validate a note' } })
      expect(tool?.content).toBeUndefined()
      expect(tool?.module).toMatchObject({ default: expect.any(Function), frontmatter: { name: 'validate' } })
    })

    it('one with a schema always gets an object', async () => {
      expect(await invoke('validate')).toEqual({ error: 'INVALID', message: 'Title required' })
      expect(await made.runtime.forAgent().invoke('validate')).toMatchObject({ error: 'INVALID' })
    })

    it('a folder skill is a directory that has a SKILL.md', async () => {
      const tool = await made.runtime.findTool('api-create')
      expect(tool).toMatchObject({
        kind: 'folder',
        frontmatter: { role: 'context' },
        origin: { file: 'api-create/SKILL.md' },
        src: expect.stringMatching(/^(file|bundle):\/\/.*\/skills\/api-create\/SKILL\.md$/),
      })
      expect(await tool?.content?.()).toBe('Create an API.\n')
    })

    it('a single file has no role of itself', async () => {
      const tool = await made.runtime.findTool('greet')
      expect(tool?.kind).toBe('file')
      expect(tool?.frontmatter.role).toBeUndefined()
    })
  })

  describe('delegates', () => {
    it('inline code', async () => {
      expect(await invoke('greet', { name: 'Ada' })).toBe('Hello, Ada!')
      const tool = await made.runtime.findTool('greet')
      expect(await tool?.content?.()).toBe('You are a greeting tool. Greet the user by name.\n')
    })

    it('inline Markdown', async () => {
      expect(await invoke('do-the-thing')).toBe('Do the thing.')
    })

    it('inline base64', async () => {
      expect(await invoke('greet-encoded', { name: 'Ada' })).toBe('Hello, Ada!')
    })

    it('a separate code file', async () => {
      expect(await invoke('handled', { name: 'a', title: 'b' })).toEqual({ name: 'a', title: 'b' })
    })

    it('without arguments get an object', async () => {
      expect(await outcome(invoke('greet'))).toBe('Hello, undefined!')
      expect(await outcome(invoke('handled'))).toEqual({})
    })

    it('inline are kept as programmatic tools under the whole reference', async () => {
      await invoke('greet', { name: 'Ada' })
      const reference = (await made.runtime.describe('greet')).verbatim.metadata as { delegate: string }
      expect(made.runtime.globals.tools.programmaticTools.get(reference.delegate)).toMatchObject({
        src: reference.delegate,
      })
    })
  })

  describe('schemas that are resolved', () => {
    const sendSchema = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }
    const nonlocals = { gateway: { sendSchema } }

    it('hold as they are written where the path leads to no object', async () => {
      for (const gateway of [undefined, null, {}, { sendSchema: null }, { sendSchema: 'text' }]) {
        const options = { nonlocals: { gateway } }
        expect(await invoke('send', { message: 'Hi' }, options)).toBe('')
        expect(await outcome(invoke('send', { message: 1 }, options))).toBe('ARGS_INVALID')
      }
    })

    it('are replaced by the object that the path leads to', async () => {
      expect(await invoke('send', { to: 'Ada', message: 1 }, { nonlocals })).toBe('')
      expect(await outcome(invoke('send', { message: 'Hi' }, { nonlocals }))).toBe('ARGS_INVALID')
    })

    it('are shown resolved', async () => {
      const described = (await invoke('skill-describe', { name: 'send' }, { nonlocals })) as Structured
      expect(described.output.params).toEqual(sendSchema)
      const discovered = (await invoke('agent-discover', { query: 'send' }, { nonlocals })) as Structured
      expect(discovered.output.tools.find(({ name }) => name === 'send')?.params).toEqual(sendSchema)
    })
  })

  describe('allowed-tools', () => {
    const call = (list: string, ref: string, args?: object): Promise<unknown> =>
      outcome(invoke(list, { ref, ...(args && { args }) }))
    const number = (text: string): string => `list-${LISTS.indexOf(text)}`

    it('all internal tools, plus a specific custom tool', async () => {
      const list = number('#meta-internal custom-tool')
      expect(await call(list, 'skill-list')).toMatchObject({ output: expect.anything() })
      expect(await call(list, 'custom-tool')).toBe('custom-tool ran')
      expect(await call(list, 'other')).toBe('TOOL_DENIED')
    })

    it('everything except destructive tools', async () => {
      const list = number('* #destructive($deny)')
      expect(await call(list, 'other')).toBe('other ran')
      expect(await call(list, 'rm')).toBe('TOOL_DENIED')
    })

    it('specific operations denied with brace expansion', async () => {
      const list = number('* context-manager(op={finish,fail},$deny)')
      expect(await call(list, 'other')).toBe('other ran')
      expect(await call(list, 'context-manager', { op: 'note' })).toBe('context-manager ran')
      for (const op of ['finish', 'fail'])
        expect(await call(list, 'context-manager', { op })).toBe('TOOL_DENIED')
    })

    it('a subagent constrained by its arguments', async () => {
      const list = number('file-read agent(allowedTools=file-read)')
      expect(await call(list, 'file-read')).toBe('file-read ran')
      expect(await call(list, 'agent', { allowedTools: 'file-read' })).toBe('agent ran')
      expect(await call(list, 'agent', { allowedTools: ['file-read', 'rm'] })).toBe('TOOL_DENIED')
      expect(await call(list, 'agent', {})).toBe('TOOL_DENIED')
      expect(await call(list, 'other')).toBe('TOOL_DENIED')
    })

    it('callbacks, by the beginning of their generated names', async () => {
      const list = number('file-read callback-*')
      const callback = createCallbackRef(made.runtime.globals, 'callback', () => 'called back')
      expect(callback).toMatch(/^callback-[0-9a-f]{8}$/)
      expect(await call(list, callback)).toBe('called back')
      expect(await call(number('file-read agent(allowedTools=file-read)'), callback)).toBe('TOOL_DENIED')
    })

    it('the library’s own namespace, by $', async () => {
      expect(await call('escaped', 'skill-list')).toMatchObject({ output: expect.anything() })
      expect(await call('escaped', 'other')).toBe('TOOL_DENIED')
    })

    it('an array is joined', async () => {
      const list = 'file-read agent(allowedTools=file-read)'
      expect((await made.runtime.findTool('joined'))?.frontmatter['allowed-tools']).toBe(list)
      expect(await call('joined', 'file-read')).toBe('file-read ran')
      expect(await call('joined', 'agent', { allowedTools: 'rm' })).toBe('TOOL_DENIED')
    })
  })

  describe('tags', () => {
    it('are listed, described and filtered by, all of them', async () => {
      const tags = ['api', 'destructive', 'slow']
      expect((await made.runtime.findTool('tagged'))?.frontmatter.tags).toEqual(tags)
      const names = async (args: object): Promise<string[]> =>
        ((await invoke('skill-list', args)) as Structured).output.tools.map(({ name }) => name)
      expect(await names({ tags: ['destructive'] })).toEqual(['rm', 'tagged'])
      expect(await names({ tags: ['slow', 'destructive'] })).toEqual(['tagged'])
      expect(((await invoke('skill-describe', { name: 'tagged' })) as Structured).output.tags).toEqual(tags)
      expect(await invoke('rm')).toBe('rm ran')
    })
  })
})

it('no example has a fault but for the description that one leaves out', async () => {
  const { cwd } = await project('from disk', {}, EXAMPLES)
  const { diagnostics } = await check({ cwd, paths: ['skills'] })
  expect(diagnostics.map(({ file, ruleId }) => `${file} ${ruleId}`)).toEqual([
    'skills/greet.skill.md description-missing',
  ])
})

it('trust: all internal tools are approved, others are asked about', () => {
  const [, list = ''] = /rules: "(.*)"/.exec(PATTERNS) ?? []
  const answer = (name: string, tags: string[]): unknown =>
    trustOf(parsePatterns(list), { name, tags, args: {} })?.answer
  expect(answer('skill-list', ['meta-internal'])).toBe('allow')
  expect(answer('other', [])).toBe('ask')
})

describe('a skill without a description', () => {
  it('is worth a warning', async () => {
    const { cwd } = await project('from disk', { 'skills/greet.skill.md': GREET })
    const { diagnostics } = await check({ cwd, paths: ['skills'] })
    expect(diagnostics.map(({ ruleId, severity }) => [ruleId, severity])).toEqual([
      ['description-missing', 'warning'],
    ])
  })

  it('does not make compiling fail', async () => {
    const { cwd } = await project('from disk', { 'skills/greet.skill.md': GREET })
    expect((await agentApps(cwd, ['compile', 'skills'])).status).toBe(0)
  })

  it.each(EACH_WAY)('is listed to agents, who can call it, and named in the catalog, %s', async way => {
    const { runtime } = await project(way, { 'skills/greet.skill.md': GREET })
    const agent = runtime.forAgent()
    expect(await renderCatalog(await runtime.listTools())).toContain('<also_available>greet</also_available>')
    expect((await agent.listTools()).map(({ name }) => name)).toContain('greet')
    for (const asking of ['skill-list', 'agent-discover']) {
      const { output } = (await agent.invoke(asking)) as { output: { tools: { name: string }[] } }
      expect(output.tools.map(({ name }) => name)).toContain('greet')
    }
    expect(await agent.invoke('greet', { name: 'Ada' })).toBe('Hello, Ada!')
  })
})

describe('a code skill without frontmatter', () => {
  const TREE = {
    'skills/rename.skill.js':
      'export default async function(ctx, { name, title }) { return { name, title } }\n',
  }

  it.each(EACH_WAY)('has the name of its file, %s', { tags: 'long' }, async way => {
    const { runtime } = await project(way, TREE)
    expect((await runtime.findTool('rename'))?.name).toBe('rename')
    expect((await runtime.listTools()).map(({ name }) => name)).toContain('rename')
  })

  it('is worth a warning', async () => {
    const { cwd } = await project('from disk', TREE)
    const { diagnostics } = await check({ cwd, paths: ['skills'] })
    expect(diagnostics.map(({ severity }) => severity)).not.toContain('error')
    expect(diagnostics).not.toEqual([])
  })
})

describe('inline code', () => {
  const answer = (cwd: string, freshness: string): string =>
    runCode(
      `import { createRuntime } from 'agent-apps'
      const { invoke } = createRuntime({ cwd: ${JSON.stringify(cwd)}, paths: ['skills'], freshness: '${freshness}' })
      console.log(await invoke('greet', { name: 'Ada' }))`,
      { TMPDIR: join(cwd, 'absent') },
    )

  it('needs no temporary file, from disk', { tags: 'long' }, async () => {
    const { cwd } = await project('from disk', { 'skills/greet.skill.md': GREET })
    expect(answer(cwd, 'check')).toBe('Hello, Ada!\n')
  })

  it('needs no temporary file, compiled', { tags: 'long' }, async () => {
    const { cwd } = await project('compiled, trusted', { 'skills/greet.skill.md': GREET })
    expect(answer(cwd, 'trust')).toBe('Hello, Ada!\n')
  })
})

describe('the library', () => {
  /** The reserved tags that say how a tool takes part, by what it is. */
  const ROLES = [
    'meta-middleware',
    'meta-metadata',
    'meta-directive-inline',
    'meta-directive-block',
    'meta-runnable',
  ]
  const TAGS: Record<string, string[]> = {
    agent: ['meta-runnable'],
    'agent-discover': ['meta-runnable'],
    bash: ['meta-runnable', 'meta-workspace'],
    'context-manager': [],
    each: ['meta-directive-block'],
    edit: ['meta-runnable', 'meta-workspace'],
    glob: ['meta-runnable', 'meta-workspace'],
    grep: ['meta-runnable', 'meta-workspace'],
    if: ['meta-directive-block'],
    include: ['meta-directive-inline', 'meta-directive-block'],
    library: [],
    limit: ['meta-middleware', 'meta-metadata'],
    list: ['meta-runnable', 'meta-workspace'],
    read: ['meta-runnable', 'meta-workspace'],
    retry: ['meta-middleware', 'meta-metadata'],
    skill: ['meta-directive-inline'],
    'skill-describe': ['meta-runnable'],
    'skill-list': ['meta-runnable'],
    state: ['meta-middleware', 'meta-metadata'],
    task: ['meta-runnable', 'meta-workspace'],
    timeout: ['meta-middleware', 'meta-metadata'],
    todoread: ['meta-runnable', 'meta-workspace'],
    todowrite: ['meta-runnable', 'meta-workspace'],
    tool: ['meta-directive-inline'],
    tools: ['meta-directive-inline', 'meta-directive-block'],
    trace: ['meta-middleware', 'meta-metadata'],
    value: ['meta-directive-inline'],
    webfetch: ['meta-runnable', 'meta-workspace'],
    write: ['meta-runnable', 'meta-workspace'],
  }

  it('has no other tools', async () => {
    const paths = [join(ROOT, 'skills')]
    const tools = await createRuntime({ paths, library: false }).listTools()
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(TAGS))
  })

  it.each(EACH_WAY)('has the reserved tags on every tool, %s', { tags: 'long' }, async way => {
    const { runtime } = await project(way, { 'skills/other.skill.js': plain('other') })
    for (const [name, tags] of Object.entries(TAGS)) {
      // Without a workspace, there are no tools that need one.
      if (tags.includes('meta-workspace')) continue
      // A bundle in which no skill has an agent has neither.
      if (way === 'in a bundle' && (name === 'agent' || name === 'context-manager')) continue
      const { frontmatter } = (await runtime.findTool(name)) ?? {}
      expect([name, frontmatter?.tags]).toEqual([name, expect.arrayContaining(['meta-internal', ...tags])])
      expect([name, frontmatter?.tags.filter(tag => ROLES.includes(tag))]).toEqual([name, tags])
      expect(frontmatter?.role === 'middleware').toBe(tags.includes('meta-middleware'))
    }
  })

  it.each(EACH_WAY)(
    'is listed to an agent that is allowed all internal tools, %s',
    { tags: 'long' },
    async way => {
      const { runtime } = await project(way, {
        'skills/other.skill.js': plain('other'),
        'skills/custom-tool.skill.js': plain('custom-tool'),
      })
      const tools = await runtime.forAgent({ allowedTools: '#meta-internal custom-tool' }).listTools()
      expect(tools.map(({ name }) => name)).toEqual([
        'custom-tool',
        'agent-discover',
        'skill-describe',
        'skill-list',
      ])
    },
  )
})
