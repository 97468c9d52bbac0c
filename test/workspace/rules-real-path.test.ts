import { existsSync, symlinkSync } from 'node:fs'
import { join, sep } from 'node:path'
import { type AgentOptions, createRuntime } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { refusalOf } from '../support/open-workspace.js'
import { makeTree } from '../support/tree.js'

const DENIED = 'TOOL_DENIED'

function open(options: AgentOptions) {
  const cwd = makeTree({ 'ws/docs/a.md': 'one\n', 'ws/src/a.ts': 'one\n' })
  symlinkSync('../src', join(cwd, 'ws/docs/link'))
  const runtime = createRuntime({ cwd, paths: [], workspace: 'ws' })
  const agent = runtime.forAgent({ permissions: ['read', 'write', 'execute'], ...options })
  const refusal = (tool: string, args: object) => refusalOf(agent.invoke(tool, args))
  return { refusal, root: join(cwd, 'ws') }
}

describe('a rule that denies a folder', () => {
  it('denies it however the path to it is written', async () => {
    const rules = ['read', 'list', 'grep', 'glob'].map(
      tool => `${tool}(src*,$policy=deny) ${tool}(src/**,$policy=deny)`,
    )
    const { refusal, root } = open({ rules: rules.join(' ') })
    const ways = (path: string): string[] => [
      path,
      join(root, path),
      `../ws/${path}`,
      `docs/link${path.slice(3)}`,
    ]
    expect(await refusal('read', { path: join(root, 'docs/a.md') })).toBeNull()
    for (const path of ways('src/a.ts')) expect(await refusal('read', { path }), path).toBe(DENIED)
    for (const path of ways('src')) {
      expect(await refusal('list', { path }), path).toBe(DENIED)
      expect(await refusal('grep', { path, pattern: 'one' }), path).toBe(DENIED)
      expect(await refusal('glob', { path, pattern: '*.ts' }), path).toBe(DENIED)
    }
  })

  it('denies changes through links', async () => {
    const { refusal, root } = open({ rules: 'write(src/**,$policy=deny) write(**,$policy=allow)' })
    expect(await refusal('write', { path: 'docs/b.md', content: 'x' })).toBeNull()
    expect(await refusal('write', { path: 'docs/link/b.ts', content: 'x' })).toBe(DENIED)
    expect(existsSync(join(root, 'src/b.ts'))).toBe(false)
  })
})

describe('a rule that allows a folder', () => {
  const rules =
    'read(**,$policy=allow) edit(docs/**,$policy=allow) write(docs/**,$policy=allow) bash(cd docs/link && pwd,$policy=allow)'

  it('allows nothing that a link in it leads to', async () => {
    const { refusal } = open({ rules })
    expect(await refusal('read', { path: 'src/a.ts' })).toBeNull()
    expect(await refusal('edit', { path: 'docs/link/a.ts', old: 'one', new: 'two' })).toBe(DENIED)
    expect(await refusal('write', { path: 'docs/link/new.ts', content: 'x' })).toBe(DENIED)
    expect(await refusal('bash', { command: 'pwd', cwd: 'docs/link' })).toBe(DENIED)
  })

  it.runIf(sep === '/')('allows no name with backslashes elsewhere', async () => {
    const { refusal, root } = open({ rules })
    const path = 'src/x\\..\\..\\docs\\y.ts'
    expect(await refusal('write', { path, content: 'x' })).toBe('APPROVAL_UNAVAILABLE')
    expect(existsSync(join(root, path))).toBe(false)
  })
})

describe('a call that a person approves', () => {
  it('needs no second approval for the place that its path leads to', async () => {
    const cwd = makeTree({ 'ws/docs/a.md': 'one\n' })
    const asked: unknown[] = []
    const interact = (request: unknown): 'allow-once' => {
      asked.push(request)
      return 'allow-once'
    }
    const runtime = createRuntime({ cwd, paths: [], workspace: 'ws', interact })
    const agent = runtime.forAgent({ permissions: ['write'] })
    await agent.invoke('write', { path: join(cwd, 'ws/docs/b.md'), content: 'x' })
    expect(asked).toHaveLength(1)
  })
})
