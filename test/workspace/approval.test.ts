import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ApprovalRequest, createRuntime } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { refusalOf } from '../support/open-workspace.js'
import { makeTree } from '../support/tree.js'

const TREE = { 'ws/docs/a.md': 'one\n', 'ws/src/a.ts': 'one\n' }

describe('calls of an agent', () => {
  it('are asked about by path, with the difference that they would make', async () => {
    const cwd = makeTree(TREE)
    const asked: ApprovalRequest[] = []
    const interact = (request: unknown): 'allow-session' => {
      asked.push(request as ApprovalRequest)
      return 'allow-session'
    }
    const runtime = createRuntime({ cwd, paths: [], workspace: 'ws', interact })
    const agent = runtime.forAgent({ permissions: ['read', 'write'] })
    await agent.invoke('read', { path: 'docs/a.md' })
    expect(asked).toEqual([])
    await agent.invoke('edit', { path: './src/../docs//a.md', old: 'one', new: 'two' })
    expect(asked).toMatchObject([
      {
        tool: 'edit',
        key: 'docs/a.md',
        preview: '--- docs/a.md\n+++ docs/a.md\n@@ -1,1 +1,1 @@\n-one\n+two\n',
      },
    ])
    await agent.invoke('edit', { path: 'docs/a.md', old: 'two', new: 'three' })
    expect(asked).toHaveLength(1)
    await agent.invoke('write', { path: 'docs/b.md', content: 'new\n' })
    expect(asked[1]).toMatchObject({
      tool: 'write',
      key: 'docs/b.md',
      preview: expect.stringContaining('+new'),
    })
    expect(readFileSync(join(cwd, 'ws/docs/a.md'), 'utf8')).toBe('three\n')
  })

  it('are decided about by rules over paths, however these are written', async () => {
    const cwd = makeTree(TREE)
    const runtime = createRuntime({ cwd, paths: [], workspace: 'ws' })
    const agent = runtime.forAgent({ permissions: ['read', 'write'], rules: 'write(docs/**,$policy=allow)' })
    const write = (path: string) => refusalOf(agent.invoke('write', { path, content: 'x' }))
    expect(await write('docs/new.md')).toBeNull()
    expect(await write('./docs/deep/new.md')).toBeNull()
    expect(await write('docs/../src/new.ts')).toBe('APPROVAL_UNAVAILABLE')
    expect(await write('src/new.ts')).toBe('APPROVAL_UNAVAILABLE')
  })
})

describe('the configuration of a runtime', () => {
  it('bounds what a model is shown, and turns tools off', async () => {
    const cwd = makeTree({ 'ws/a.txt': `${'x'.repeat(99)}\n`.repeat(100) })
    const config = {
      tools: {
        read: { maxOutput: 1000 },
        grep: { ripgrep: false, maxOutput: 1000 },
        list: { enabled: false },
      },
    }
    const runtime = createRuntime({ cwd, paths: [], workspace: 'ws', config })
    const shown = async (tool: string, args: object): Promise<string> =>
      String(((await runtime.invoke(tool, args)) as { output: unknown }).output)
    expect((await shown('read', { path: 'a.txt' })).length).toBeLessThan(1200)
    expect((await shown('grep', { pattern: 'x' })).length).toBeLessThan(1200)
    expect(await runtime.invoke('grep', { pattern: 'x' })).toMatchObject({ metadata: { engine: 'scan' } })
    const agent = runtime.forAgent({ permissions: ['read'] })
    expect(await refusalOf(agent.invoke('list'))).toBe('TOOL_NOT_FOUND')
    const wrong = createRuntime({
      cwd,
      paths: [],
      workspace: 'ws',
      config: { tools: { read: { maxOutput: 'much' } } },
    })
    expect(await refusalOf(wrong.invoke('read', { path: 'a.txt' }))).toBe('TOOL_CONFIG')
  })
})
