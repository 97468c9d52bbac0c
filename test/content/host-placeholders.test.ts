import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime, registerTool } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { splitWords } from '../../runtime/content/host-filling.js'
import { agentApps } from '../support/commands.js'
import { makeTree } from '../support/tree.js'

const CONTENT = `Run \${CLAUDE_SKILL_DIR}/x and \${CLAUDE_PLUGIN_ROOT} in \${CLAUDE_PROJECT_DIR}.
Session \${CLAUDE_SESSION_ID} with \${CLAUDE_EFFORT}.
All: $ARGUMENTS. First: $0 or $ARGUMENTS[0], second: $1, none: $2, issue: $issue.
A literal \\$0, \\$ARGUMENTS, \\$issue; $HOME, $issues and \${args.x} are not theirs.
!\`git log $0\` but KEY=!\`not\`
\`\`\`!
git status
\`\`\`
`

function skillOf(content: string, more = 'arguments: [issue, branch]\n'): string {
  return `---\nname: fix\ndescription: Fixes.\n${more}---\n${content}`
}

function runtimeOf(content: string, more?: string) {
  const cwd = makeTree({
    'plugins/acme/.claude-plugin/plugin.json': '{ "name": "acme" }',
    'plugins/acme/skills/fix/SKILL.md': skillOf(content, more),
  })
  return { cwd, runtime: createRuntime({ cwd, paths: ['plugins/acme/skills'] }) }
}

describe('placeholders of another host', () => {
  it('are kept byte for byte', async () => {
    const { runtime } = runtimeOf(CONTENT)
    expect(await runtime.invoke('fix')).toBe(CONTENT)
    expect(await runtime.render('fix')).toBe(CONTENT)
  })

  it('are listed by describe, each once', async () => {
    const { runtime, cwd } = runtimeOf(
      CONTENT,
      'arguments: issue branch\nallowed-tools: Bash(${CLAUDE_SKILL_DIR}/x)\n',
    )
    const { placeholders } = await runtime.describe('fix')
    expect(placeholders).toEqual([
      { kind: 'variable', text: '${CLAUDE_SKILL_DIR}' },
      { kind: 'variable', text: '${CLAUDE_PLUGIN_ROOT}' },
      { kind: 'variable', text: '${CLAUDE_PROJECT_DIR}' },
      { kind: 'variable', text: '${CLAUDE_SESSION_ID}' },
      { kind: 'variable', text: '${CLAUDE_EFFORT}' },
      { kind: 'argument', text: '$ARGUMENTS' },
      { kind: 'argument', text: '$0' },
      { kind: 'argument', text: '$ARGUMENTS[0]' },
      { kind: 'argument', text: '$1' },
      { kind: 'argument', text: '$2' },
      { kind: 'argument', text: '$issue' },
      { kind: 'command', text: '!`git log $0`' },
      { kind: 'command', text: '```!\ngit status\n```' },
    ])
    const paths = ['--config', join(cwd, 'agent-apps.config.json')]
    writeFileSync(join(cwd, 'agent-apps.config.json'), '{ "paths": ["plugins/acme/skills"] }')
    const { stdout } = await agentApps(cwd, ['describe', 'fix', ...paths])
    expect(stdout).toContain("other host's argument")
    const { stdout: json } = await agentApps(cwd, ['describe', 'fix', '--json', ...paths])
    expect(JSON.parse(json).placeholders).toEqual(placeholders)
  })

  it.each(['disk', 'index'])('are filled in for that host, in one pass, from %s', async way => {
    const { runtime, cwd } = runtimeOf(CONTENT)
    if (way === 'index') await compile({ cwd, paths: ['plugins/acme/skills'] })
    const args = '"$1 here" \'${CLAUDE_SKILL_DIR}\''
    const text = await runtime.render('fix', { host: 'claude', args, sessionId: 's-1' })
    expect(text).toBe(`Run ${cwd}/plugins/acme/skills/fix/x and ${cwd}/plugins/acme in ${cwd}.
Session s-1 with \${CLAUDE_EFFORT}.
All: ${args}. First: $1 here or $1 here, second: \${CLAUDE_SKILL_DIR}, none: $2, issue: $1 here.
A literal $0, $ARGUMENTS, $issue; $HOME, $issues and \${args.x} are not theirs.
!\`git log $1 here\` but KEY=!\`not\`
\`\`\`!
git status
\`\`\`
`)
  })

  it.each([
    ['a string', 'one "two three"', 'one "two three"|one|two three|one'],
    ['an array', ['one', 'two three', 4], 'one "two three" 4|one|two three|one'],
    ['an object by name', { branch: 'b c', issue: 7 }, '7 "b c"|7|b c|7'],
    ['an object without the first', { branch: 'b' }, 'b|$0|b|$issue'],
    ['a number', 7, '7|7|$1|7'],
    ['nothing', undefined, '|$0|$1|$issue'],
  ])('take %s', async (_, args, expected) => {
    const { runtime } = runtimeOf('$ARGUMENTS|$0|$1|$issue')
    expect(await runtime.render('fix', { host: 'claude', args })).toBe(expected)
  })

  it('stand at the end where none is in the text', async () => {
    for (const [content, expected] of [
      ['Fix it.\n', 'Fix it.\n\nARGUMENTS: one two\n'],
      ['Fix it.', 'Fix it.\n\nARGUMENTS: one two\n'],
      ['Fix $1.\n', 'Fix two.\n'],
      ['Fix \\$1.\n', 'Fix $1.\n\nARGUMENTS: one two\n'],
    ] as const) {
      const { runtime } = runtimeOf(content)
      expect(await runtime.render('fix', { host: 'claude', args: 'one two' })).toBe(expected)
    }
    const { runtime } = runtimeOf('Fix it.\n')
    expect(await runtime.render('fix', { host: 'claude' })).toBe('Fix it.\n')
  })

  it('are filled in beside `${…}` and directives, whose values are not filled in again', async () => {
    const more =
      'arguments: issue\nmetadata:\n  interpolate: true\n  params: { type: object, properties: { issue: { type: string } } }\n'
    const { runtime, cwd } = runtimeOf('${args.issue} $issue :include[more.md]{} \\${args.issue}\n', more)
    writeFileSync(join(cwd, 'plugins/acme/skills/fix/more.md'), 'of $0')
    const args = { issue: '$issue ${args.issue}' }
    expect(await runtime.render('fix', { host: 'claude', args })).toBe(
      '$issue ${args.issue} $issue ${args.issue} of $issue ${args.issue} ${args.issue}\n',
    )
    await expect(runtime.render('fix', { host: 'claude', args: { issue: 1 } })).rejects.toMatchObject({
      code: 'ARGS_INVALID',
    })
  })

  it.each(['disk', 'index'])('know a plugin that only a marketplace names, from %s', async way => {
    const plugins = [{ name: 'acme', source: './tools/acme', strict: false }]
    const cwd = makeTree({
      '.claude-plugin/marketplace.json': JSON.stringify({ name: 'all', plugins }),
      'tools/acme/skills/fix/SKILL.md': skillOf('${CLAUDE_PLUGIN_ROOT}\n'),
    })
    const paths = [{ dir: '.', discover: true }]
    if (way === 'index') await compile({ cwd, paths })
    const runtime = createRuntime({ cwd, paths })
    expect(await runtime.render('fix', { host: 'claude' })).toBe(`${cwd}/tools/acme\n`)
  })

  it('refuse names that the skill does not have, and other hosts', async () => {
    const { runtime } = runtimeOf('$issue')
    await expect(runtime.render('fix', { host: 'claude', args: { isue: 1 } })).rejects.toMatchObject({
      code: 'ARGS_INVALID',
      hint: 'Its arguments are issue, branch.',
    })
    await expect(runtime.render('fix', { host: 'other' as never })).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
    })
    await expect(runtime.render('fix', { args: 'one' })).rejects.toMatchObject({ code: 'ARGS_INVALID' })
  })

  it('are filled in in the content of a registered tool', async () => {
    const { runtime } = runtimeOf('')
    registerTool(runtime.globals, { name: 'own', content: 'Do $0.', fn: () => 1 })
    expect(await runtime.render('own', { host: 'claude', args: 'it' })).toBe('Do it.')
  })

  it('leave variables of folders as they are in a bundle', { tags: 'long' }, async () => {
    const { cwd } = runtimeOf('${CLAUDE_SKILL_DIR} ${CLAUDE_PLUGIN_ROOT} ${CLAUDE_PROJECT_DIR} $0\n')
    const bundle = join(cwd, 'dist/agent.mjs')
    await compile({ cwd, paths: ['plugins/acme/skills'], bundle })
    const { runtime } = await import(pathToFileURL(bundle).href)
    expect(await runtime.render('fix', { host: 'claude', args: 'it' })).toBe(
      '${CLAUDE_SKILL_DIR} ${CLAUDE_PLUGIN_ROOT} ${CLAUDE_PROJECT_DIR} it\n',
    )
  })

  it('are filled in by the command', async () => {
    const { cwd } = runtimeOf('Fix $issue on $1.\n')
    writeFileSync(join(cwd, 'agent-apps.config.json'), '{ "paths": ["plugins/acme/skills"] }')
    for (const given of [
      ['--arg', 'issue=7', '--arg', 'branch=main'],
      ['--args', '"7 main"'],
      ['--args', '["7", "main"]'],
    ])
      expect(await agentApps(cwd, ['render', 'fix', '--host', 'claude', ...given, '--quiet'])).toMatchObject({
        stdout: 'Fix 7 on main.\n',
      })
    expect((await agentApps(cwd, ['render', 'fix', '--host', 'codex'])).status).toBe(2)
    expect((await agentApps(cwd, ['render', 'fix', '--args', '"7"'])).status).toBe(2)
  })
})

describe('folders in allowed-tools', () => {
  it('are part of the patterns, and limit what an agent may do', async () => {
    const more = `allowed-tools: read(path=\${CLAUDE_SKILL_DIR}/**) Bash(\${CLAUDE_PLUGIN_ROOT}/run.sh:*) write(path=\${CLAUDE_PLUGIN_DATA}/**)
metadata:
  params: { type: object }
  delegate: ./call.js
`
    const { runtime, cwd } = runtimeOf('Fix.\n', more)
    const folder = join(cwd, 'plugins/acme/skills/fix')
    writeFileSync(
      join(folder, 'call.js'),
      "export default ({ manager }, { name, path }) => manager.invoke(name, { path }, { as: 'agent' })\n",
    )
    const { diagnostics } = await check({ cwd, paths: ['plugins/acme/skills'] })
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
    const params = { type: 'object', properties: { path: { type: 'string' } } }
    for (const name of ['read', 'write'])
      registerTool(runtime.globals, {
        name,
        description: 'x',
        params,
        fn: (_, { path }) => `${name} ${path}`,
      })
    const calling = (name: string, path: string) => runtime.invoke('fix', { name, path })
    expect(await calling('read', `${folder}/a/b.md`)).toBe(`read ${folder}/a/b.md`)
    for (const [name, path] of [
      ['read', `${cwd}/plugins/acme/skills/other/b.md`],
      ['read', `${folder}/../other/b.md`],
      ['write', '${CLAUDE_PLUGIN_DATA}x/b.md'],
      ['write', '/b.md'],
    ] as const)
      await expect(calling(name, path), path).rejects.toMatchObject({ code: 'TOOL_DENIED' })
  })
})

it('words are split as a shell splits them', () => {
  for (const [text, words] of [
    ['', []],
    ['  a  b ', ['a', 'b']],
    ['"a b" c', ['a b', 'c']],
    [`'a "b' c`, ['a "b', 'c']],
    ['a\\ b "c\\"d" e"f g"h', ['a b', 'c"d', 'ef gh']],
    ['"" x', ['', 'x']],
    ['don"t', ['don"t']],
    ['end\\', ['end\\']],
  ] as const)
    expect([text, splitWords(text)]).toEqual([text, words])
})
