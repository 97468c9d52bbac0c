import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  clearAllCaches,
  clearToolCache,
  createCallbackRef,
  createRuntime,
  defineTool,
  findAuthority,
  invoke,
  registerTool,
  unregisterTool,
} from 'agent-apps'
import { check, compile, loadConfig } from 'agent-apps/compiler'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { defaultGlobals } from '../support/default-globals.js'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = readdirSync(join(PROJECT, 'docs')).map(name => `docs/${name}`)

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agent-apps-pages-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('the pages in docs/', () => {
  it.each(['README.md', ...PAGES])('%s links to what is there', page => {
    const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    for (const link of links.filter(link => !/^https?:/.test(link) && !isInExample(page, link))) {
      const [path = '', anchor] = link.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      expect(existsSync(join(PROJECT, file)), `${page}: ${link}`).toBe(true)
      if (anchor !== undefined) expect(anchors(file), `${page}: ${link}`).toContain(anchor)
    }
  })

  it.each(PAGES.filter(page => !/(?:rules|errors)\.md$/.test(page)))('%s has at most 300 lines', page => {
    expect(read(page).split('\n').length - 1).toBeLessThanOrEqual(300)
  })

  it('are all in the list of pages', () => {
    const linked = new Set(
      [...read('docs/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => `docs/${page}`),
    )
    expect(PAGES.filter(page => page !== 'docs/README.md' && !linked.has(page))).toEqual([])
  })

  it('README.md has at most 180 lines', () => {
    expect(read('README.md').split('\n').length - 1).toBeLessThanOrEqual(180)
  })

  it.each(['docs/architecture.md', 'docs/index-format.md', 'docs/index-files.md'])(
    '%s names files that there are',
    page => {
      const paths = [
        ...read(page).matchAll(/`((?:src|compiler|runtime|cli|adapters|docs|schema)\/[\w./-]+)`/g),
      ]
      for (const [, path = ''] of paths)
        expect(existsSync(join(PROJECT, path)), `${page}: ${path}`).toBe(true)
    },
  )
})

describe('docs/skills.md and docs/code-skills.md', () => {
  it('tells the truth about names', async () => {
    const rows = [
      ...read('docs/skills.md').matchAll(
        /^\| (?:`name: (.*)`|none) \| `(.*)` \| (?:`(.*?)`|nothing)(.*) \|$/gm,
      ),
    ]
    expect(rows).toHaveLength(5)
    for (const [, name, folder = '', resolved, rest = ''] of rows) {
      const dir = mkdtempSync(join(root, 'row-'))
      const line = name === undefined ? '' : `name: ${name}\n`
      write(join(dir, folder, 'SKILL.md'), `---\n${line}description: Reviews.\n---\n`)
      const { files, diagnostics } = await check({ cwd: dir, paths: ['.'] })
      expect(files[0]?.tools).toEqual(resolved === undefined ? [] : [resolved])
      expect(diagnostics.map(({ ruleId }) => ruleId)).toEqual(/\[(.*)\]/.exec(rest)?.slice(1) ?? [])
    }
  })

  it('has examples that are skills without a fault', async () => {
    writeExamples()
    const { counts, diagnostics } = await check({ cwd: root, paths: ['.'] })
    expect(counts).toMatchObject({ found: 7, skipped: 0 })
    expect([...new Set(diagnostics.map(({ ruleId }) => ruleId))]).toEqual(['metadata-dynamic'])
    const runtime = createRuntime({ paths: ['.'], cwd: root })
    expect((await runtime.findTool('./writing.skill.md'))?.name).toBe('outline')
    expect(await (await runtime.findTool('./writing.skill.md#shorten'))?.content?.()).toBe(
      'Leave out what the reader knows.\n',
    )
  })

  it('has examples of code that run, and tells the truth about delegates', { tags: 'long' }, async () => {
    writeExamples()
    const delegates = [
      ...read('docs/code-skills.md').matchAll(/^\| `((?:word-count|\.\/|inline:)[^`]*)`(?:, `.*`)? \|/gm),
    ].map(([, delegate = '']) => delegate)
    const inlineText = '---\nname: other\n---\nText.\n'
    const made: Record<string, [string, unknown]> = {
      'word-count': ['word-count', { words: 2 }],
      './summary.ts': ['./summary/summary.ts', '2 words'],
      './text.skill.ts#reverse': ['./text.skill.ts#reverse', 'b a'],
      'inline://code,…': ['inline://code,export default (_ctx, args) => args.text', 'a b'],
      'inline://markdown,…': [`inline://markdown,${inlineText}`, 'Text.\n'],
      'inline://base64,…': [`inline://base64,${btoa(`inline://markdown,${inlineText}`)}`, 'Text.\n'],
    }
    expect(delegates).toEqual(Object.keys(made))
    for (const [index, [delegate]] of Object.values(made).entries())
      write(
        join(root, `d-${index}.skill.md`),
        `---\nname: d-${index}\ndescription: Delegates.\nmetadata:\n  delegate: ${JSON.stringify(delegate)}\n---\n`,
      )
    for (const way of ['disk', 'index']) {
      if (way === 'index') expect((await compile({ cwd: root, paths: ['.'] })).diagnostics).toEqual([])
      const { invoke, findTool } = createRuntime({ paths: ['.'], cwd: root })
      const text = 'one three two'
      expect(await invoke('shout', { text })).toBe('ONE THREE TWO!')
      expect(await invoke('word-count', { text })).toEqual({ words: 3 })
      expect(await invoke('./text.skill.ts#reverse', { text: 'abc' })).toBe('cba')
      expect(await invoke('summary', { text })).toBe('3 words')
      expect(await invoke('longest', { text })).toBe('three')
      expect(await (await findTool('summary'))?.content?.()).toBe('Use it before you quote a text.\n')
      expect((await findTool('word-count'))?.frontmatter).toMatchObject({
        tags: ['text'],
        params: { properties: { text: { description: 'Text to count' } } },
        returns: { required: ['words'] },
      })
      await expect(invoke('word-count', { text: 1 })).rejects.toMatchObject({ code: 'ARGS_INVALID' })
      for (const [index, [delegate, result]] of Object.values(made).entries()) {
        expect([delegate, await invoke(`d-${index}`, { text: 'a b' })]).toEqual([delegate, result])
        expect((await findTool(`d-${index}`))?.origin.via).toBe(way)
      }
    }
  })
})

describe('docs/resolving.md', () => {
  it('tells the truth about references', async () => {
    write(join(root, 'skills/review/SKILL.md'), '---\nname: review\ndescription: Ours.\n---\n')
    write(join(root, 'global/review/SKILL.md'), '---\nname: review\ndescription: Theirs.\n---\n')
    write(join(root, 'tools/count.skill.md'), '---\nname: count\ndescription: Counts.\n---\n')
    const paths = ['skills', { dir: 'global', layer: 'global' as const, external: true }]
    const definition = (name: string, description: string) =>
      `defineTool({ name: '${name}', description: '${description}', execute: () => null })`
    write(
      join(root, 'tools/pair.skill.js'),
      `import { defineTool } from 'agent-apps'
export const second = ${definition('second', 'Second.')}
export default ${definition('first', 'First.')}
`,
    )
    const { findTool, invoke, globals } = createRuntime({ paths, cwd: root })
    registerTool(globals, {
      name: 'my_tool',
      description: 'Doubles.',
      src: 'mcp://numbers/double',
      fn: () => null,
    })
    const described = async (ref: string) => (await findTool(ref))?.frontmatter.description ?? null
    expect(await described('review')).toBe('Ours.')
    expect(await described('./tools/count.skill.md')).toBe('Counts.')
    expect(await described(join(root, 'global/review'))).toBe('Theirs.')
    expect(await described(`file://${root}/global/review/SKILL.md`)).toBe('Theirs.')
    expect(await described('layer://global/review')).toBe('Theirs.')
    expect(await described('./tools/pair.skill.js#second')).toBe('Second.')
    expect(await described('./tools/pair.skill.js')).toBe('First.')
    expect(await described('mcp://numbers/double')).toBe('Doubles.')
    expect(await described('my_tool')).toBe('Doubles.')
    const inline = '---\nname: other\ndescription: Inline.\n---\n'
    expect(await described(`inline://markdown,${inline}`)).toBe('Inline.')
    expect(await described(`inline://base64,${btoa(`inline://markdown,${inline}`)}`)).toBe('Inline.')
    const code = 'inline://code,export default (_ctx, { text }) => text.length'
    expect(await invoke(code, { text: 'abc' })).toBe(3)
    expect(globals.tools.programmaticTools.has(code)).toBe(true)
    for (const nothing of ['', 'count', 'https://example.org/review', './none', './tools'])
      expect([nothing, await described(nothing)]).toEqual([nothing, null])
  })
})

describe('docs/resolving.md on registered tools, and docs/freshness.md on caches', () => {
  it('tells the truth about registering', async () => {
    const { globals, invoke, findTool, listTools, stats } = createRuntime({ paths: ['.'], cwd: root })
    write(join(root, 'double.skill.md'), '---\nname: double\ndescription: Theirs.\n---\n')
    registerTool(globals, { name: 'double', fn: () => 'ours', content: 'Text.' })
    expect(await invoke('double')).toBe('ours')
    expect(await (await findTool('double'))?.content?.()).toBe('Text.')
    const [first, ...others] = await listTools()
    expect(first).toMatchObject({ name: 'double', kind: 'code' })
    expect(first?.origin).toMatchObject({ layer: 'programmatic', via: 'programmatic' })
    expect(others.map(({ name }) => name)).not.toContain('double')
    expect(stats().via.programmatic).toBe(1)
    unregisterTool(globals, 'double')
    expect((await findTool('double'))?.frontmatter.description).toBe('Theirs.')
    const ref = createCallbackRef(globals, 'on-done', () => 'done')
    expect(ref).toMatch(/^on-done-[0-9a-f]{8}$/)
    expect(await invoke(ref)).toBe('done')
    expect(await invoke(ref, { text: '' })).toBe('done')
  })

  it('tells the truth about definitions', async () => {
    const registered = registerTool(
      defineTool({ name: 'docs-definition', params: { type: 'object' }, execute: args => args }),
    )
    expect(registered).toBeInstanceOf(Promise)
    await registered
    expect(await invoke('docs-definition', { a: 1 })).toEqual({ a: 1 })
    unregisterTool(defaultGlobals(), 'docs-definition')
  })

  it('tells the truth about authorities', async () => {
    write(join(root, 'SKILL.md'), '---\nname: all\ndescription: All.\nmetadata:\n  role: main\n---\n')
    write(
      join(root, 'a/part.skill.md'),
      '---\nname: part\ndescription: Part.\nmetadata:\n  role: main\n---\n',
    )
    write(join(root, 'a/b/deep.skill.md'), '---\nname: deep\ndescription: Deep.\n---\n')
    write(join(root, 'c/flat.skill.md'), '---\nname: flat\ndescription: Flat.\n---\n')
    const { globals, findTool } = createRuntime({ paths: ['.'], cwd: root })
    registerTool(globals, { name: 'ours', fn: () => null })
    const authority = async (name: string) => {
      const tool = await findTool(name)
      return tool && (await findAuthority(tool, globals))?.name
    }
    expect(await authority('deep')).toBe('part')
    expect(await authority('part')).toBe('part')
    expect(await authority('flat')).toBe('all')
    expect(await authority('ours')).toBe('all')
  })

  it('tells the truth about clearing caches', async () => {
    const version = async (text: string) => {
      write(join(root, 'a/SKILL.md'), `---\nname: a\ndescription: A.\n---\n${text}\n`)
      await compile({ cwd: root, paths: ['.'] })
    }
    await version('One.')
    const { globals, render } = createRuntime({ paths: ['.'], cwd: root, freshness: 'trust' })
    registerTool(globals, { name: 'ours', fn: () => null, content: 'ours' })
    expect(await render('a')).toBe('One.\n')
    await version('Number two.')
    clearToolCache('a', globals)
    expect(await render('a')).toBe('Number two.\n')
    await version('The third.')
    clearAllCaches(globals)
    expect(await render('a')).toBe('The third.\n')
    expect(await render('ours')).toBe('ours')
    expect(globals.diagnostics.size).toBe(0)
  })
})

describe('docs/configuration.md', () => {
  it('has examples that are configurations', async () => {
    const blocks = [...examples('docs/configuration.md', 'json'), ...examples('docs/configuration.md', 'ts')]
    expect(blocks.map(({ path }) => path)).toEqual([
      'agent-apps.config.json',
      'package.json',
      'agent-apps.config.json',
      'agent-apps.config.json',
      'agent-apps.config.json',
      'agent-apps.config.ts',
    ])
    for (const { path, text } of blocks) {
      const cwd = mkdtempSync(join(root, 'config-'))
      write(join(cwd, path), text)
      const { file, paths } = await loadConfig({ cwd, trusted: true })
      expect(file).toBe(join(cwd, path))
      expect(paths.filter(entry => typeof entry === 'string')).toEqual([join(cwd, 'skills')])
    }
  })
})

/** The example skills of both pages, where they can import what they do. */
function writeExamples(): void {
  for (const language of ['md', 'js', 'ts'])
    for (const page of ['docs/skills.md', 'docs/code-skills.md'])
      for (const { path, text } of examples(page, language)) write(join(root, path), text)
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(PROJECT, join(root, 'node_modules/agent-apps'))
  symlinkSync(join(PROJECT, 'node_modules/zod'), join(root, 'node_modules/zod'))
}

function examples(page: string, language: string): { path: string; text: string }[] {
  const blocks = read(page).matchAll(new RegExp(`^\`\`\`${language} (\\S+)\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))
  return [...blocks].map(([, path = '', text = '']) => ({ path, text }))
}

/** True for a link that is part of an example skill. */
function isInExample(page: string, link: string): boolean {
  return examples(page, 'md').some(({ text }) => text.includes(`](${link})`))
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(file: string): string[] {
  if (statSync(join(PROJECT, file)).isDirectory()) return []
  return [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function read(page: string): string {
  return readFileSync(join(PROJECT, page), 'utf8')
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

describe('docs/other-hosts.md', () => {
  it('tells the truth about its example', async () => {
    const page = read('docs/other-hosts.md')
    const [, path = '', text = ''] = /```md (\S+)\n([\s\S]*?)```/.exec(page) ?? []
    mkdirSync(join(root, 'skills', dirname(path)), { recursive: true })
    writeFileSync(join(root, 'skills', path), text)
    const runtime = createRuntime({ cwd: root, paths: ['skills'] })
    const given = [...page.matchAll(/^await runtime\.(\w+)\('fix-issue'(?:, (.*))?\)\n\/\/ → '(.*)'$/gm)]
    expect(given).toHaveLength(2)
    const results = [
      await runtime.render('fix-issue', { host: 'claude', args: '7 main' }),
      await runtime.invoke('fix-issue'),
    ]
    for (const [index, [, , , shown = '']] of given.entries())
      expect(results[index]).toBe(shown.replace('/app', root).replace('\\n', '\n'))
    const commands = [...page.matchAll(/^ {4}npx agent-apps (render .*)$/gm)].map(([, line = '']) => line)
    expect(commands).toEqual([
      `render fix-issue --host claude --args '"7 main"'`,
      'render fix-issue --host claude --arg issue=7 --arg branch=main',
    ])
    for (const args of [
      ['--args', '"7 main"'],
      ['--arg', 'issue=7', '--arg', 'branch=main'],
    ])
      expect((await agentApps(root, ['render', 'fix-issue', '--host', 'claude', ...args])).stdout).toBe(
        results[0],
      )
  })
})
