import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolConfig } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { CommandOutput } from '../../skills/workspace/process/command-output.js'
import { agentApps } from '../support/commands.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { makeTree } from '../support/tree.js'
import { call, codeOf, processesIn, workspaceRuntime } from '../support/workspace-tools.js'

const PAGE = readFileSync(join(ROOT, 'docs/workspace-processes.md'), 'utf8')

const bash = (root: string, command: string, more: Record<string, unknown> = {}) =>
  call(workspaceRuntime(root), 'bash', { command, ...more })

describe('bash', () => {
  it('gives what a command writes, in the order in which it does', async () => {
    const root = temporary()
    const lines = Array.from({ length: 200 }, (_, line) => `${line % 2 ? 'error' : 'output'} ${line}\n`)
    const command = lines
      .map(line => `echo '${line.trim()}'${line.startsWith('error') ? ' >&2' : ''}`)
      .join('\n')
    const { title, metadata, output } = await bash(root, command)
    expect(output).toBe(lines.join(''))
    expect(title).toBe("echo 'output 0'…")
    expect(metadata).toEqual({
      exitCode: 0,
      signal: null,
      durationMs: expect.any(Number),
      truncated: false,
      file: null,
    })
  })

  it('says in a last line how a command failed', async () => {
    const root = temporary()
    expect(await bash(root, 'echo no; exit 3')).toMatchObject({
      title: 'echo no; exit 3 [exit code 3]',
      metadata: { exitCode: 3, signal: null },
      output: 'no\n[exit code 3]',
    })
    expect(await bash(root, 'printf no; kill -9 $$')).toMatchObject({
      metadata: { exitCode: null, signal: 'SIGKILL' },
      output: 'no\n[ended by SIGKILL]',
    })
    expect(await bash(root, 'true')).toMatchObject({ output: '' })
    expect((await bash(root, 'nothing-of-this-name')).output).toMatch(/not found\n\[exit code 127\]$/)
  })

  it('is bash, which sees a few variables and no input', async () => {
    const root = temporary()
    process.env.SECRET_OF_THE_HOST = 'secret'
    process.env.LC_OF_THE_HOST = 'de'
    const { output } = await bash(root, '[[ -n $BASH_VERSION ]] && cat && env')
    const names = output.split('\n').map(line => line.split('=')[0])
    expect(names).toEqual(expect.arrayContaining(['PATH', 'HOME', 'LC_OF_THE_HOST', 'TERM']))
    expect(names).not.toContain('SECRET_OF_THE_HOST')
    expect(output).toContain('TERM=dumb\n')
    expect((await bash(root, 'tty')).output).toMatch(/^not a tty/)
  })

  it('runs in a folder of the workspace and in no other', async () => {
    const root = makeTree({ 'src/a.ts': '', 'file.txt': '' })
    const outside = temporary()
    symlinkSync(outside, join(root, 'out'))
    expect((await bash(root, 'pwd')).output).toBe(`${root}\n`)
    expect((await bash(root, 'pwd', { cwd: 'src' })).output).toBe(`${root}/src\n`)
    expect((await bash(root, 'pwd', { cwd: join(root, 'src') })).output).toBe(`${root}/src\n`)
    for (const cwd of ['..', outside, 'out', `${root}-beside`, 'src/../..'])
      expect(await codeOf(bash(root, 'pwd', { cwd })), cwd).toBe('PATH_OUTSIDE')
    expect(await codeOf(bash(root, 'pwd', { cwd: 'gone' }))).toBe('FILE_NOT_FOUND')
    expect(await codeOf(bash(root, 'pwd', { cwd: 'file.txt' }))).toBe('FILE_UNUSABLE')
  })

  it('reports output as it comes', async () => {
    const root = temporary()
    const runtime = workspaceRuntime(root)
    const seen: unknown[] = []
    runtime.globals.events.on('tool:update', ({ title, metadata }) => seen.push([title, metadata?.output]))
    const running = call(runtime, 'bash', {
      command: 'echo one; until [ -e go ]; do sleep 0.01; done; echo zwölf',
    })
    await expect.poll(() => seen).toContainEqual([expect.any(String), 'one\n'])
    mkdirSync(join(root, 'go'))
    await running
    expect(seen.map(item => (item as string[])[1]).join('')).toBe('one\nzwölf\n')
  })

  it('shows the beginning and the end of a long output, all of which is in a file', async () => {
    const root = temporary()
    const { metadata, output } = await bash(root, 'for i in {1..6000}; do echo "line $i ü"; done')
    const whole = Array.from({ length: 6000 }, (_, line) => `line ${line + 1} ü\n`).join('')
    expect(metadata.truncated).toBe(true)
    expect(readFileSync(metadata.file as string, 'utf8')).toBe(whole)
    expect(Buffer.byteLength(output)).toBeLessThan(50_000)
    const [head = '', tail = ''] = output.split(
      /\[\d+ of \d+ bytes are left out here\. All of it is in .*\]\n/,
    )
    expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true)
    expect(Buffer.byteLength(head)).toBeGreaterThan(9000)
    expect(Buffer.byteLength(tail)).toBeGreaterThan(39_000)
    expect(output).toContain(`[${Buffer.byteLength(whole) - Buffer.byteLength(head + tail)} of `)
  })

  it.each([
    ['49,999 bytes are shown', 'head -c 49999 /dev/zero | tr "\\0" x', false],
    ['50,001 bytes are not', 'head -c 50001 /dev/zero | tr "\\0" x', true],
    ['many small parts are not', 'for i in {1..30000}; do printf "%s\\n" $i; done', true],
    ['bytes that are no text are not', 'head -c 40000 /dev/zero | tr "\\0" "\\377"', false],
  ])('%s', { tags: 'long' }, async (_, command, truncated) => {
    const { metadata, output } = await bash(temporary(), command)
    expect(metadata.truncated).toBe(truncated)
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(50_000)
  })

  it('keeps no more of a flood in memory than it shows', async () => {
    const path = join(temporary(), 'whole.txt')
    const output = new CommandOutput(
      () => {},
      async () => ({ path, handle: await open(path, 'w') }),
    )
    for (let part = 0; part < 200; part++) await output.take(Buffer.alloc(65_536, 'x\n'))
    await output.close()
    const { rest } = output as unknown as { rest: Buffer[] }
    expect(rest.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(40_000 + 65_536)
    expect(statSync(path).size).toBe(200 * 65_536)
    expect(output.shown().text).toContain(`of ${200 * 65_536} bytes are left out here`)
  })

  it('refuses other arguments than it takes', async () => {
    const root = temporary()
    for (const args of [
      {},
      { command: '' },
      { command: 'a\0b' },
      { command: 'x'.repeat(30_001) },
      { command: 1 },
    ])
      expect(await codeOf(workspaceRuntime(root).invoke('bash', args))).toBe('ARGS_INVALID')
    for (const more of [{ timeoutMs: 0 }, { timeoutMs: 1e9 }, { other: true }])
      expect(await codeOf(bash(root, 'true', more))).toBe('ARGS_INVALID')
    expect(await bash(root, `: ${'ü'.repeat(29_990)}`)).toMatchObject({ metadata: { exitCode: 0 } })
  })
})

describe('what a host sets for bash', () => {
  const bashOf = (root: string, bash: ToolConfig, args: Record<string, unknown>) =>
    call(workspaceRuntime(root, { config: { tools: { bash } } }), 'bash', args)

  it('are names of variables that commands see', async () => {
    process.env.OF_THE_HOST = 'passed'
    const { output } = await bashOf(temporary(), { env: ['OF_THE_HOST'] }, { command: 'echo $OF_THE_HOST' })
    expect(output).toBe('passed\n')
  })

  it('is a program that starts the shell', async () => {
    const root = makeTree({ 'src/a.ts': '' })
    const wrap = ['/usr/bin/env', 'AT=${workspace}:${cwd}']
    const { output } = await bashOf(root, { wrap }, { command: 'echo "$AT $1"', cwd: 'src' })
    expect(output).toBe(`${root}:${root}/src \n`)
    const none = await bashOf(root, { wrap: ['no-such-program'] }, { command: 'echo hi' })
    expect(none.metadata.exitCode).toBe(127)
    expect(none.output).not.toContain('hi')
  })

  it.skipIf(!existsSync('/usr/bin/bwrap'))('may be bubblewrap, which keeps commands in', async () => {
    const root = makeTree({ 'src/a.ts': '' })
    const [, wrap = ''] = /^const wrap = (\[[\s\S]*?\n\])$/m.exec(PAGE) ?? []
    const config = { wrap: new Function(`return ${wrap}`)() as string[] }
    const command = `pwd; touch new; ls; ls ${ROOT} 2>/dev/null || echo kept in`
    const { output } = await bashOf(root, config, { command, cwd: 'src' })
    expect(output).toBe(`${root}/src\na.ts\nnew\nkept in\n`)
    const late = { command: 'setsid sleep 60 & sleep 60', timeoutMs: 500 }
    expect((await bashOf(root, config, late)).output).toContain('[ended after 500 ms')
    expect(processesIn(root)).toEqual([])
  })

  it.each([{ wrap: 'bwrap' }, { env: [1] }, { other: true }])('is checked: %j', async config => {
    expect(await codeOf(bashOf(temporary(), config as never, { command: 'true' }))).toBe('TOOL_CONFIG')
  })
})

describe('what an approval of bash is for', () => {
  it.each([
    ['git status', '.', 'git status'],
    ['  git status', './', '  git status'],
    ['ls', 'src', 'cd src && ls'],
    ['ls', './src/../src/', 'cd src && ls'],
    ['ls', 'my files', "cd 'my files' && ls"],
    ['ls', "it's", "cd 'it'\\''s' && ls"],
    ['ls', '-x', "cd '-x' && ls"],
  ])('%j in %j is %j', async (command, cwd, key) => {
    const keys: unknown[] = []
    const runtime = workspaceRuntime(temporary(), {
      policy: { permissions: ['execute'] },
      interact: request => {
        keys.push('key' in request && request.key)
        return 'deny'
      },
    })
    await codeOf(runtime.forAgent().invoke('bash', { command, cwd }))
    expect(keys).toEqual([key])
  })

  it('is what rules are compared with', async () => {
    const root = makeTree({ 'src/a.ts': '' })
    const agent = workspaceRuntime(root, {
      policy: { permissions: ['execute'], rules: 'bash(echo:*,$policy=allow) bash(pwd,$policy=allow)' },
    }).forAgent()
    const decisionOf = async (command: string, cwd?: string) =>
      (await agent.authorize('bash', { command, ...(cwd && { cwd }) })).decision
    for (const command of ['echo', 'echo a', 'pwd']) expect(await decisionOf(command), command).toBe('allow')
    for (const command of [
      'echo a; rm b',
      'echo a\nrm b',
      'echo $(rm b)',
      'echo a && rm b',
      'echoes',
      'pwd -P',
      'rm',
    ])
      expect(await decisionOf(command), command).toBe('ask')
    expect(await decisionOf('echo a', 'src')).toBe('ask')
    expect(await decisionOf('pwd', 'src')).toBe('ask')
    expect(await decisionOf('pwd', './')).toBe('allow')
  })
})

describe('who may call bash', () => {
  it('is an agent that was granted `execute`, with approval', async () => {
    const root = temporary()
    const command = { command: 'echo hi' }
    const without = workspaceRuntime(root).forAgent({ permissions: ['read', 'write', 'network'] })
    expect(await codeOf(without.invoke('bash', command))).toBe('PERMISSION_MISSING')
    expect((await without.listTools()).map(({ name }) => name)).not.toContain('bash')
    const asked: unknown[] = []
    const runtime = workspaceRuntime(root, {
      policy: { permissions: ['execute'] },
      interact: request => {
        asked.push('tool' in request && request.tool)
        return asked.length === 1 ? 'allow-once' : 'deny'
      },
    })
    const agent = runtime.forAgent()
    expect((await agent.listTools()).map(({ name }) => name)).toContain('bash')
    expect(await agent.invoke('bash', command)).toMatchObject({ output: 'hi\n' })
    expect(await codeOf(agent.invoke('bash', command))).toBe('APPROVAL_DENIED')
    expect(asked).toEqual(['bash', 'bash'])
  })

  it('is a person at the command line', async () => {
    const root = temporary()
    const { status, stdout } = await agentApps(root, [
      'run',
      'bash',
      '--workspace',
      '.',
      '--arg',
      'command=pwd; exit 4',
    ])
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ metadata: { exitCode: 4 }, output: `${root}\n[exit code 4]` })
  })
})
