import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentOptions, type ApprovalAnswer, type ApprovalRequest, createRuntime } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { refusalOf } from '../support/open-workspace.js'
import { makeTree, type Tree } from '../support/tree.js'

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
        preview:
          'Replaces 1 line of docs/a.md by 1:\n--- docs/a.md\n+++ docs/a.md\n@@ -1,1 +1,1 @@\n-one\n+two\n',
      },
    ])
    await agent.invoke('edit', { path: 'docs/a.md', old: 'two', new: 'three' })
    expect(asked).toHaveLength(1)
    await agent.invoke('write', { path: 'docs/b.md', content: 'new\n' })
    expect(asked[1]).toMatchObject({
      tool: 'write',
      key: 'docs/b.md',
      preview: 'Creates docs/b.md with 1 line:\n--- docs/b.md\n+++ docs/b.md\n@@ -0,0 +1,1 @@\n+new\n',
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

/** An agent in a workspace, and what a person is asked about its calls, who denies them all. */
function agentIn(tree: Tree, options: AgentOptions = {}, answer: ApprovalAnswer = 'deny') {
  const cwd = makeTree(Object.fromEntries(Object.entries(tree).map(([path, item]) => [`ws/${path}`, item])))
  const asked: ApprovalRequest[] = []
  const interact = (request: unknown): ApprovalAnswer => {
    asked.push(request as ApprovalRequest)
    return answer
  }
  const runtime = createRuntime({ cwd, paths: [], workspace: 'ws', interact })
  const agent = runtime.forAgent({ permissions: ['read', 'write', 'execute', 'network'], ...options })
  return {
    agent,
    asked,
    root: join(cwd, 'ws'),
    refusal: (...call: [string, object]) => refusalOf(agent.invoke(...call)),
  }
}

describe('what a person is shown of a change', () => {
  const numbered = (count: number): string =>
    Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('')

  it('is the difference of the file before and after, where it is', async () => {
    const { agent, asked, refusal } = agentIn({ 'a.txt': numbered(40) })
    await agent.invoke('read', { path: 'a.txt' })
    await refusal('edit', { path: 'a.txt', old: 'line 20\n', new: 'new\nlines\n' })
    expect(asked[0]?.preview).toBe(
      [
        'Replaces 1 line of a.txt by 2:\n--- a.txt\n+++ a.txt\n@@ -17,7 +17,8 @@\n line 17\n line 18\n line 19\n',
        '-line 20\n+new\n+lines\n line 21\n line 22\n line 23\n',
      ].join(''),
    )
    await refusal('edit', { path: 'a.txt', old: 'line', new: 'row', all: true })
    expect(asked[1]?.preview).toMatch(/^Replaces 40 lines of a.txt by 40:/)
    await refusal('edit', {
      path: 'a.txt',
      edits: [
        { old: 'line 1\n', new: '' },
        { old: 'line 40\n', new: '' },
      ],
    })
    expect(asked[2]?.preview).toMatch(
      /^Removes 2 lines from a.txt:[^@]*@@ -1,4 \+1,3 @@[^@]*@@ -37,4 \+36,3 @@/,
    )
    await refusal('write', { path: 'a.txt', content: numbered(41) })
    expect(asked[3]?.preview).toMatch(/^Adds 1 line to a.txt:/)
    await refusal('write', { path: 'a.txt', content: 'short\n' })
    expect(asked[4]?.preview).toMatch(/^Replaces 40 lines of a.txt by 1:/)
    await refusal('write', { path: 'a.txt', content: numbered(40) })
    expect(asked[5]?.preview).toBe('Leaves a.txt unchanged.\n')
  })

  it.runIf(isLong)(
    'is the text of the call where comparing would take long, for all changes together',
    async () => {
      const block = (at: number, word: string): string =>
        Array.from(
          { length: 300 },
          (_, line) => `${word} ${at} ${line} ${(at * 7919 + line * 104729) % 99991}\n`,
        ).join('')
      const blocks = Array.from({ length: 200 }, (_, at) => at)
      const { agent, asked, refusal } = agentIn({
        'many.txt': blocks.map(at => block(at, 'old')).join(''),
        'long.txt': 'x'.repeat(20_000_000),
        'every.txt': 'x'.repeat(4_900_000),
      })
      for (const path of ['many.txt', 'long.txt', 'every.txt']) await agent.invoke('read', { path })
      const calls: [string, object][] = [
        [
          'edit',
          { path: 'many.txt', edits: blocks.map(at => ({ old: block(at, 'old'), new: block(at, 'new') })) },
        ],
        ['edit', { path: 'long.txt', old: 'x'.repeat(20_000_000), new: 'y' }],
        ['edit', { path: 'every.txt', old: 'x', new: 'y', all: true }],
        ['write', { path: 'long.txt', content: 'y'.repeat(20_000_000) }],
        ['write', { path: 'new.txt', content: 'y'.repeat(20_000_000) }],
      ]
      for (const call of calls) {
        const began = performance.now()
        expect(await refusal(...call)).toBe('APPROVAL_DENIED')
        expect(performance.now() - began, JSON.stringify(call).slice(0, 60)).toBeLessThan(3000)
      }
      expect(asked[0]?.preview).toContain('\n-old 0 0 ')
      for (const { preview } of asked) {
        expect(preview?.length).toBeLessThan(21_000)
        expect(preview).toMatch(/^[-+][xyo]/m)
      }
    },
  )

  it('is both texts where they have too much that differs', async () => {
    const rows = (word: string): string =>
      Array.from({ length: 8000 }, (_, at) => `${word}${(at * 7919) % 9973}\n`).join('')
    const { agent, asked, refusal } = agentIn({ 'a.txt': `first\n${rows('a')}last\n` })
    await agent.invoke('read', { path: 'a.txt' })
    await refusal('write', { path: 'a.txt', content: `first\n${rows('b')}last\n` })
    expect(asked[0]?.preview).toMatch(/^Replaces 800[0-9] lines of a.txt by 800[0-9]:\n/)
    expect(asked[0]?.preview).toContain('[The diff is cut.]')
  })
})

describe('a call that cannot work', () => {
  const TREE = {
    'a.txt': 'one\n',
    'b.txt': 'one\n',
    'image.bin': '\0',
    '.env': 'KEY=1\n',
    '.git/HEAD': '',
    'folder/c.txt': 'one\n',
  }
  const CANNOT: [string, object, string][] = [
    ['edit', { path: 'a.txt', old: 'three', new: 'two' }, 'EDIT_FAILED'],
    ['edit', { path: 'a.txt', old: 'one' }, 'ARGS_INVALID'],
    ['edit', { path: 'b.txt', old: 'one', new: 'two' }, 'FILE_NOT_READ'],
    ['edit', { path: 'none.txt', old: 'one', new: 'two' }, 'FILE_NOT_FOUND'],
    ['edit', { path: '../none.txt', old: 'one', new: 'two' }, 'PATH_OUTSIDE'],
    ['write', { path: 'b.txt', content: 'two' }, 'FILE_NOT_READ'],
    ['write', { path: '../none.txt', content: 'two' }, 'PATH_OUTSIDE'],
    ['write', { path: 'a.txt/none.txt', content: 'two' }, 'FILE_UNUSABLE'],
    ['write', { path: '.git/HEAD', content: 'two' }, 'FILE_PROTECTED'],
    ['bash', { command: 'ls', cwd: 'none' }, 'FILE_NOT_FOUND'],
    ['bash', { command: 'ls', cwd: 'a.txt' }, 'FILE_UNUSABLE'],
    ['bash', { command: 'ls', cwd: '..' }, 'PATH_OUTSIDE'],
    ['webfetch', { url: 'no URL' }, 'FETCH_REFUSED'],
    ['webfetch', { url: 'file:///etc/passwd' }, 'FETCH_REFUSED'],
    ['webfetch', { url: 'https://a:b@example.org' }, 'FETCH_REFUSED'],
  ]

  it('fails before anybody is asked about it', async () => {
    const { agent, asked, refusal } = agentIn(TREE)
    await agent.invoke('read', { path: 'a.txt' })
    for (const [tool, args, code] of CANNOT) {
      expect(await refusal(tool, args), JSON.stringify(args)).toBe(code)
      expect(await agent.authorize(tool, args)).toMatchObject({ decision: 'deny', code })
      expect(await agent.authorize(tool, args)).not.toHaveProperty('request')
    }
    expect(asked).toEqual([])
  })

  it('is asked about first where the agent may not read without asking, and a refusal tells nothing', async () => {
    const ways: AgentOptions[] = [
      { permissions: ['write', 'execute'] },
      { rules: 'read' },
      { deny: 'read' },
      {
        rules:
          'read(*.txt,$policy=deny) read(none,$policy=ask) read(..*,$policy=ask) read(../*,$policy=ask) read(.git/*,$policy=ask) read(a.txt/*,$policy=ask)',
      },
    ]
    for (const options of ways) {
      const { asked, refusal } = agentIn(TREE, options)
      const calls = CANNOT.filter(
        ([tool, , code]) => tool !== 'webfetch' && code !== 'ARGS_INVALID' && code !== 'EDIT_FAILED',
      )
      for (const [tool, args] of calls)
        expect(await refusal(tool, args), JSON.stringify([options, args])).toBe('APPROVAL_DENIED')
      expect(asked).toHaveLength(calls.length)
      for (const { preview } of asked) expect(preview).toMatch(/^\(This call would fail: /)
    }
  })

  it('is asked about first where its path leads to a secret, or to a place with a rule that asks', async () => {
    const { asked, refusal, root } = agentIn(TREE, { rules: 'read(folder/**,$policy=ask)' })
    symlinkSync('folder', join(root, 'link'))
    symlinkSync('.env', join(root, 'plain.txt'))
    for (const path of ['.env', 'plain.txt', 'link/c.txt', 'link/none.txt'])
      expect(await refusal('edit', { path, old: 'a', new: 'b' }), path).toBe('APPROVAL_DENIED')
    expect(await refusal('write', { path: 'no.env', content: 'A=1' })).toBe('APPROVAL_DENIED')
    expect(asked).toHaveLength(5)
  })

  it('does not end with the question about another call for the same file', async () => {
    const { agent, asked, root } = agentIn(TREE, {}, 'allow-session')
    await agent.invoke('read', { path: 'a.txt' })
    const [works, fails] = await Promise.allSettled([
      agent.invoke('edit', { path: 'a.txt', old: 'one', new: 'two' }),
      agent.invoke('edit', { path: 'a.txt', old: 'gone', new: 'two' }),
    ])
    expect(works.status).toBe('fulfilled')
    expect(fails).toMatchObject({ status: 'rejected', reason: { code: 'EDIT_FAILED' } })
    expect(asked).toHaveLength(1)
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n')
  })

  it('is looked at again where another call was answered meanwhile', async () => {
    const { agent, asked, root } = agentIn(TREE, {}, 'allow-once')
    await agent.invoke('read', { path: 'a.txt' })
    await Promise.all([
      agent.invoke('write', { path: 'a.txt', content: 'two\n' }),
      agent.invoke('write', { path: 'a.txt', content: 'three\n' }),
    ])
    expect(asked).toHaveLength(2)
    expect(['two\n', 'three\n']).toContain(readFileSync(join(root, 'a.txt'), 'utf8'))
  })
})
