import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, type Runtime } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { answering, code } from '../support/asking.js'
import { codeSkills } from '../support/code-project.js'
import { some } from '../support/long.js'
import { temporary } from '../support/temporary.js'

const COUNTS = globalThis as unknown as Record<string, number>

/** A gated tool in code whose module counts how often it is imported. */
const tool = (name: string, more: string): string => `import { defineTool } from 'agent-apps'
globalThis.imported_${name} = (globalThis.imported_${name} ?? 0) + 1
export default defineTool({
  name: '${name}',
  description: 'Runs a command.',
  gated: true,
  params: { type: 'object' },
  ${more}
  execute: ({ command }) => command,
})
`

const SKILLS = {
  'derives.skill.js': tool('derives', "deriveApprovalKey: ({ command }) => command.split(' ')[0],"),
  'shows.skill.js': tool('shows', 'preview: ({ command }) => `$ ${command}`,'),
  'plain.skill.js': tool('plain', ''),
}

let template: string | undefined

/** A copy of a project that is compiled once. */
async function compiled(): Promise<string> {
  if (template === undefined) {
    template = codeSkills(SKILLS).root
    await compile({ cwd: template, paths: ['skills'] })
  }
  const root = temporary()
  cpSync(template, root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  return root
}

describe.each(some(['from disk', 'compiled']))('a tool in code, %s', way => {
  async function opened(answers: unknown[]): Promise<{
    runtime: Runtime
    requests: ReturnType<typeof answering>['requests']
  }> {
    const root = way === 'compiled' ? await compiled() : codeSkills(SKILLS).root
    const { interact, requests } = answering(answers)
    for (const name of Object.keys(COUNTS)) if (name.startsWith('imported_')) delete COUNTS[name]
    return { runtime: createRuntime({ cwd: root, paths: ['skills'], interact }), requests }
  }

  it('derives the keys of its calls', async () => {
    const { runtime, requests } = await opened(['allow-session'])
    const agent = runtime.forAgent()
    expect(await agent.invoke('derives', { command: 'git status' })).toBe('git status')
    expect(await agent.invoke('derives', { command: 'git log' })).toBe('git log')
    expect(requests.map(({ key }) => key)).toEqual(['git'])
    const ruled = runtime.forAgent({ rules: 'derives(git,$deny)' })
    expect(await code(ruled.invoke('derives', { command: 'git push' }))).toBe('TOOL_DENIED')
  })

  it('shows what its call would do', async () => {
    const { runtime, requests } = await opened(['deny'])
    expect(await code(runtime.forAgent().invoke('shows', { command: 'ls' }))).toBe('APPROVAL_DENIED')
    expect(requests[0]?.preview).toBe('$ ls')
  })

  it('is not imported before its call is approved, unless it has a function for that', async () => {
    const { runtime } = await opened(['deny', 'deny', 'allow-once'])
    const agent = runtime.forAgent()
    expect(await code(agent.invoke('plain', { command: 'ls' }))).toBe('APPROVAL_DENIED')
    expect(COUNTS.imported_plain).toBeUndefined()
    expect(await code(agent.invoke('shows', { command: 'ls' }))).toBe('APPROVAL_DENIED')
    expect(COUNTS.imported_shows).toBe(1)
    expect(await agent.invoke('plain', { command: 'ls' })).toBe('ls')
    expect(COUNTS.imported_plain).toBe(1)
    const denied = runtime.forAgent({ deny: 'derives' })
    expect(await code(denied.invoke('derives', { command: 'ls' }))).toBe('TOOL_DENIED')
    expect(COUNTS.imported_derives).toBeUndefined()
  })
})

it('the index marks the functions of a tool without running it', async () => {
  const { tools } = JSON.parse(readFileSync(join(await compiled(), 'skills/.agent-apps.json'), 'utf8'))
  const marked = Object.keys(SKILLS).map(file => {
    const { metadata } = tools[file.split('.')[0] ?? ''].frontmatter
    return [file, metadata['approval-key'], metadata['approval-preview']]
  })
  expect(marked).toEqual([
    ['derives.skill.js', true, undefined],
    ['shows.skill.js', undefined, true],
    ['plain.skill.js', undefined, undefined],
  ])
})

it('a faulty approval-key is told by check, at its place', async () => {
  const { root } = codeSkills({
    'a/SKILL.md':
      '---\nname: a\ndescription: A skill.\nmetadata:\n  approval-key: always the same\n---\nText.\n',
    'b/SKILL.md': '---\nname: b\ndescription: A skill.\nmetadata:\n  approval-key: ${args..}\n---\nText.\n',
    'c/SKILL.md':
      '---\nname: c\ndescription: A skill.\nmetadata:\n  approval-key: ${args.command}\n---\nText.\n',
  })
  const { diagnostics } = await check({ cwd: root, paths: ['skills'] })
  expect(diagnostics.map(({ file, line, ruleId, reason }) => [file, line, ruleId, reason])).toEqual([
    [
      expect.stringContaining('a/SKILL.md'),
      5,
      'guard-invalid',
      expect.stringContaining('names no argument, so that all calls would have one key'),
    ],
    [
      expect.stringContaining('b/SKILL.md'),
      5,
      'guard-invalid',
      expect.stringContaining('which is not a path'),
    ],
  ])
})
