import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime, estimateTokens, type ToolDef } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { openWorkspace, refusalOf } from '../support/open-workspace.js'
import { makeTree, skill } from '../support/tree.js'

const READING = ['glob', 'grep', 'list', 'read']
const WRITING = ['edit', 'write']
const FILE_TOOLS = [...READING, ...WRITING].sort()

const isFileTool = ({ name }: ToolDef): boolean => FILE_TOOLS.includes(name)
const names = (tools: readonly ToolDef[]): string[] =>
  tools
    .filter(isFileTool)
    .map(({ name }) => name)
    .sort()

describe('the option workspace', () => {
  it.each(['trust', 'check'] as const)('is what makes the tools exist, under %s', async freshness => {
    const cwd = makeTree({ 'a.txt': 'one\n' })
    const without = createRuntime({ cwd, paths: ['skills'], freshness })
    expect(names(await without.listTools())).toEqual([])
    for (const name of FILE_TOOLS) {
      expect(await without.findTool(name)).toBeNull()
      expect(await without.findTool(`layer://bundled/${name}`)).toBeNull()
      expect(await refusalOf(without.invoke(name))).toBe('TOOL_NOT_FOUND')
    }
    const opened = createRuntime({ cwd, paths: ['skills'], freshness, workspace: '.' })
    expect(names(await opened.listTools())).toEqual(FILE_TOOLS)
    expect(await opened.invoke('read', { path: 'a.txt' })).toMatchObject({ output: '     1\tone' })
  })

  it('offers an agent the tools whose permissions it was granted', async () => {
    const { runtime } = openWorkspace({ 'a.txt': 'one\n' })
    const offered = async (...permissions: ('read' | 'write')[]) =>
      names(await runtime.forAgent({ permissions }).listTools())
    expect(await offered()).toEqual([])
    expect(await offered('read')).toEqual(READING)
    expect(await offered('read', 'write')).toEqual(FILE_TOOLS)
    const reader = runtime.forAgent({ permissions: ['read'] })
    expect(await reader.invoke('read', { path: 'a.txt' })).toMatchObject({ title: 'Read a.txt' })
    expect(await refusalOf(reader.invoke('write', { path: 'b.txt', content: '' }))).toBe('PERMISSION_MISSING')
    expect(await refusalOf(runtime.forAgent().invoke('read', { path: 'a.txt' }))).toBe('PERMISSION_MISSING')
  })

  it('gives way to a tool of the project with the same name', async () => {
    const cwd = makeTree({ 'skills/read.skill.md': skill('read', 'Ours.\n'), 'a.txt': '' })
    const opened = createRuntime({ cwd, paths: ['skills'], workspace: '.' })
    expect(await opened.invoke('read')).toBe('Ours.\n')
    expect((await opened.findTool('read'))?.origin.shadows).toHaveLength(1)
    expect(await opened.invoke('layer://bundled/read', { path: 'a.txt' })).toMatchObject({
      output: '[The file is empty.]',
    })
  })

  it('is told when it is wrong', async () => {
    expect(() => createRuntime({ workspace: 3 as never })).toThrow(
      /`workspace` .* must be a string or an object/,
    )
    const wrong: unknown[] = [{}, { root: '' }, { root: '.', alow: [] }, { root: '.', write: ['{'] }]
    for (const workspace of wrong) {
      const opened = createRuntime({ cwd: makeTree({}), paths: [], workspace: workspace as never })
      expect(await refusalOf(opened.invoke('read', { path: 'a.txt' })), JSON.stringify(workspace)).toBe(
        'OPTIONS_INVALID',
      )
    }
  })

  it('is opened once its folder is there', async () => {
    const cwd = makeTree({})
    const opened = createRuntime({ cwd, paths: [], workspace: 'later' })
    expect(await refusalOf(opened.invoke('read', { path: 'a.txt' }))).toBe('WORKSPACE_MISSING')
    expect(await refusalOf(opened.invoke('read', { path: 'a.txt' }))).toBe('WORKSPACE_MISSING')
  })

  it('is `--workspace` of the command', async () => {
    const cwd = makeTree({ 'repo/a.txt': 'one\n' })
    const said = await agentApps(cwd, ['run', 'read', '--workspace', 'repo', '--arg', 'path=a.txt'])
    expect(said).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(said.stdout)).toMatchObject({ output: '     1\tone' })
    const without = await agentApps(cwd, ['run', 'read', '--arg', 'path=a.txt'])
    expect(without.status).toBe(1)
    expect(without.stderr).toContain('TOOL_NOT_FOUND')
    const asAgent = await agentApps(cwd, [
      'run',
      'read',
      '--as-agent',
      '--workspace',
      'repo',
      '--arg',
      'path=a.txt',
    ])
    expect(asAgent.stderr).toContain('PERMISSION_MISSING')
    const described = await agentApps(cwd, ['describe', 'read', '--workspace', 'repo'])
    expect(described).toMatchObject({ status: 0, stdout: expect.stringContaining('numbers') })
  })

  it('has no tools in a bundle, which has no file system', { tags: 'long' }, async () => {
    const cwd = makeTree({ 'skills/review/SKILL.md': skill('review') })
    await compile({ cwd, paths: ['skills'], bundle: 'dist/agent.mjs' })
    const { runtime } = await import(pathToFileURL(join(cwd, 'dist/agent.mjs')).href)
    expect((await runtime.findTool('review')).name).toBe('review')
    expect(names(await runtime.listTools())).toEqual([])
    expect(await runtime.findTool('read')).toBeNull()
    const files = readdirSync(join(cwd, 'dist'), { recursive: true, encoding: 'utf8' })
    const texts = files
      .filter(file => file.endsWith('js'))
      .map(file => readFileSync(join(cwd, 'dist', file), 'utf8'))
    expect(texts.join('')).not.toMatch(/proc.self.fd/)
    const keep = ['review', 'read']
    await expect(compile({ cwd, paths: ['skills'], bundle: 'dist/agent.mjs', keep })).rejects.toThrow(
      /"read"/,
    )
  })
})

describe('each tool of a workspace', () => {
  it('is described in 10 to 40 tokens, with all its parameters', async () => {
    const { runtime } = openWorkspace()
    const tools = (await runtime.listTools()).filter(({ frontmatter }) =>
      frontmatter.tags.includes('meta-workspace'),
    )
    expect(tools.length).toBeGreaterThanOrEqual(FILE_TOOLS.length)
    for (const { name, frontmatter } of tools) {
      const tokens = estimateTokens(frontmatter.description ?? '')
      expect(tokens, name).toBeGreaterThanOrEqual(10)
      expect(tokens, name).toBeLessThanOrEqual(40)
      const { properties, required = [] } = frontmatter.params as {
        properties: Record<string, { description?: string; default?: unknown }>
        required?: string[]
      }
      for (const [key, { description }] of Object.entries(properties))
        expect(description, `${name}.${key}`).toMatch(/\w/)
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(required))
    }
  })
})
