import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentOptions, isAllowed, parsePatterns, type RuntimePolicy } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { oneIn, times } from '../support/long.js'
import { pick, type Random, randomFrom } from '../support/policy-model.js'
import { runtimeWith, type Tools } from '../support/registered-runtime.js'
import { temporary } from '../support/temporary.js'

const LINES = times(60, 20_000)

const HEADS = ['git', 'git log', 'echo', 'printf', 'printf -v', 'test', 'test -v', 'export']

/** Words in which a shell finds nothing to run. */
const PLAIN = [
  ...[
    'status',
    '-m',
    '--format=%h',
    'HEAD~1',
    'HEAD^',
    'origin/main',
    'a:b',
    'user@host',
    'a,b',
    '+x',
    'größe',
  ],
  ...[`'a b'`, `"a (b); c"`, `'it is "so"'`, `"don't"`, `'a'"b"c`, '"*&|<>"', '"!"', '~/a'],
  ...['$HOME', '"$HOME/x"', `'$HOME'`],
]

/** Words in which it may find `touch p`, and words that only look like it. */
const ODD = [
  ...[
    '; touch p',
    ';touch p;',
    '&& touch p',
    '|| touch p',
    '| touch p',
    '|&touch p',
    '& touch p',
    '\ntouch p',
  ],
  ...['\r\ntouch p', '\\\ntouch p', '(touch p)', '{ touch p; }', '$(touch p)', '`touch p`', '"$(touch p)"'],
  ...['"`touch p`"', '<(touch p)', '>(touch p)', '<<<$(touch p)', '<<E\n$(touch p)\nE', '${x:-$(touch p)}'],
  ...[
    '"${x:-`touch p`}"',
    '${x[$(touch p)]}',
    '${HOME:$(touch p)}',
    '$((x[$(touch p)]))',
    '$[x[$(touch p)]]',
  ],
  ...[
    "${a:=$'\\x24\\x28touch p\\x29'} ${a@P}",
    '${a:=\\${e}(touch p)} ${a@P}',
    '${a:=\\`touch p\\`} "${a@P}"',
  ],
  ...['${a@P}', 'a[\\$\\(touch p\\)]', "$'a[\\x60touch p\\x60]' x", "$[$'a[\\x24\\x28touch p\\x29]']"],
  ...[
    "'a[$(touch p)]' x",
    '"a[\\$(touch p)]" x',
    '"\\$(touch p)"',
    "'`touch p`'",
    '# touch p',
    '\\; touch p',
  ],
  ...['{a,b}', '*', '?', '[a-z]', '\\;', '!', '$$', '$?', '$1', '"$@"', '${HOME}', "$'\\n'", "'a$'", '$"a"'],
  ...["'", '"', '$', '> q', '2>&1', '"a\nb"'],
]

/** Rules that cover everything but for what a command is made of. */
const RULES = [
  HEADS.map(head => `bash(${head}:*)`).join(' '),
  HEADS.map(head => `bash(${head} *)`).join(' '),
  HEADS.map(head => `bash(command=${head} *)`).join(' '),
  'bash(?*)',
  'bash(command=?*)',
  'bash(!(x))',
]

/** What there is on the path: programs that say that they ran. */
function stubs(): { bin: string; log: string } {
  const bin = temporary()
  const log = join(bin, 'log')
  for (const name of ['git', 'touch', 'x', 'status']) {
    writeFileSync(join(bin, name), '#!/bin/sh\necho "${0##*/}" >> "$LOG"\n')
    chmodSync(join(bin, name), 0o755)
  }
  return { bin, log }
}

const { bin, log } = stubs()

/** True where bash runs another program than the one that a line begins with. */
function runsAnother(line: string): boolean {
  const cwd = temporary()
  rmSync(log, { force: true })
  const env = { PATH: bin, HOME: cwd, LOG: log, LC_ALL: 'C.UTF-8' }
  spawnSync('/bin/bash', ['--norc', '-c', line], { cwd, env, timeout: 10_000, input: '' })
  const ran = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
  return ran.slice(line.startsWith('git') ? 1 : 0).length > 0
}

function allowedBy(rules: string, key: string): boolean {
  const call = { name: 'bash', tags: [], args: { command: key }, key }
  return isAllowed(parsePatterns(rules), call).answer
}

/** A word: parts of which each is plain or odd, one behind the other. */
function word(random: Random): string {
  const parts = Array.from({ length: 1 + Math.floor(random() * 2) }, () =>
    pick(random, random() < 0.7 ? PLAIN : ODD),
  )
  return parts.join('')
}

function commandLines(count: number): string[] {
  const random = randomFrom(28)
  const found = new Set<string>()
  while (found.size < count) {
    const words = Array.from({ length: 1 + Math.floor(random() * 4) }, () => word(random))
    found.add([pick(random, HEADS), ...words].join(random() < 0.9 ? ' ' : '\t'))
  }
  return [...found]
}

/** Lines that a rule asks about, though nothing but the program runs: what docs/patterns.md lists. */
const ASKED_THOUGH_HARMLESS = [
  'git add *.js',
  'git add src/a?.js',
  'git add src/[ab].js',
  'git add src/{a,b}.js',
  'git show stash@{0}',
  'git add a\\ b',
  'git grep "a\\.b"',
  "git grep 'end$'",
  "git log -S '`'",
  'git commit -m "one\n\ntwo"',
  'git show "${HOME}"',
  'git show $1',
  'git show $?',
  'git log --since=$((1+1))',
  'git log 2>&1',
  'git log > out.txt',
  'git status # short',
  'git status;',
  'git commit -m fine!',
  "git grep $'a\\tb'",
]

describe('rules that allow commands by a prefix or a glob', () => {
  it(`cover none of ${LINES} lines in which bash runs a second command`, { tags: 'long' }, () => {
    const lines = commandLines(LINES)
    const chained = lines.filter(runsAnother)
    const covered = lines.filter(line => RULES.some(rules => allowedBy(rules, line)))
    expect(chained.filter(line => covered.includes(line))).toEqual([])
    // Neither by refusing nearly all, nor because nearly nothing would have run.
    expect(chained.length).toBeGreaterThan(LINES / 5)
    expect(covered.length).toBeGreaterThan(LINES / 5)
  })

  it.each(oneIn(3, ODD))('do not cover git with %j', odd => {
    for (const line of [`git ${odd}`, `git "a" ${odd} b`, `git a${odd}`])
      for (const rules of RULES) expect([rules, line, allowedBy(rules, line)]).toEqual([rules, line, false])
  })

  it.each(oneIn(3, PLAIN))('cover git with %j', plain => {
    const line = `git ${plain} a${plain}`
    expect(runsAnother(line)).toBe(false)
    // In the glob for an argument, `*` does not stand for `/`.
    for (const rules of RULES.filter(one => !one.includes('=') || !line.includes('/')))
      expect([rules, allowedBy(rules, line)]).toEqual([rules, true])
  })

  it.each(oneIn(3, ASKED_THOUGH_HARMLESS))('do not cover %j, although it is harmless', line => {
    expect(runsAnother(line)).toBe(false)
    for (const rules of RULES) expect([rules, allowedBy(rules, line)]).toEqual([rules, false])
  })

  it.each(['git $(touch p)', 'git status; touch p'])('leave %j to `*` and to its exact text', line => {
    for (const rules of ['bash', 'bash(*)', 'bash(**)', 'bash(command=*)', 'bash(command=**)'])
      expect([rules, allowedBy(rules, line)]).toEqual([rules, true])
  })

  it('hold an exact text for nothing else', () => {
    expect(allowedBy('bash(git status; ls)', 'git status; ls')).toBe(true)
    expect(allowedBy('bash(command=git status; ls)', 'git status; ls')).toBe(true)
    expect(allowedBy('bash(git status; ls)', 'git status; ls -a')).toBe(false)
  })

  it('take time linear in the command', { tags: 'long' }, () => {
    const start = performance.now()
    for (const part of ["'", '"a', '\'"$', '$a', 'a ', "'a'", '\\'])
      expect(allowedBy('bash(git:*)', `git ${part.repeat(1_000_000)}(`)).toBe(false)
    expect(performance.now() - start).toBeLessThan(10_000)
  })
})

describe('every list that allows', () => {
  const TOOLS: Tools = {
    bash: {
      permissions: { required: ['execute'] },
      metadata: { 'approval-key': '${args.command}' },
    },
    save: { permissions: { required: ['write'] }, metadata: { 'approval-key': '${args.path}' } },
    undeclared: { gated: true, metadata: { 'approval-key': '${args.command}' } },
  }
  const PATTERNS = [
    ['git:*', 'docs/**'],
    ['git *', 'docs/**'],
    ['command=git *', 'path=docs/**'],
  ] as const
  type Lists = (list: (policy?: string) => string) => { policy?: RuntimePolicy; agent?: AgentOptions }
  const LISTS: [name: string, lists: Lists, otherwise: 'ask' | 'deny'][] = [
    ['rules', list => ({ policy: { rules: list(',$policy=allow') } }), 'ask'],
    ['rules of an agent', list => ({ agent: { rules: list(',$policy=allow') } }), 'ask'],
    ['approval.allow', list => ({ policy: { approval: { mode: 'allowlist', allow: list() } } }), 'ask'],
    ['allow', list => ({ policy: { allow: list(), approval: { mode: 'yolo' } } }), 'deny'],
    [
      'allow of an agent',
      list => ({ policy: { approval: { mode: 'yolo' } }, agent: { allow: list() } }),
      'deny',
    ],
    [
      'allowedTools',
      list => ({ policy: { approval: { mode: 'yolo' } }, agent: { allowedTools: list() } }),
      'deny',
    ],
  ]

  it.each(oneIn(3, LISTS))('%s covers plain commands only', async (_, lists, otherwise) => {
    for (const [command, path] of PATTERNS) {
      const all = (policy = ''): string =>
        `bash(${command}${policy}) undeclared(${command}${policy}) save(${path}${policy})`
      const { policy = {}, agent = {} } = lists(all)
      const granted = { permissions: ['write', 'execute'] as const }
      const runtime = runtimeWith(TOOLS, { policy: { ...granted, ...policy } })
      const decided = async (tool: string, args: object): Promise<string> =>
        (await runtime.forAgent(agent).authorize(tool, args)).decision
      for (const tool of ['bash', 'undeclared']) {
        expect(await decided(tool, { command: 'git log "$HOME"' })).toBe('allow')
        for (const odd of ['git log ${a@P}', 'git log "$(touch p)"', "git $'a'", 'git *'])
          expect([command, tool, odd, await decided(tool, { command: odd })]).toEqual([
            ...[command, tool, odd, otherwise],
          ])
      }
      // A tool that says that it writes, and runs nothing, has no commands.
      expect(await decided('save', { path: 'docs/[id] (1).md' })).toBe('allow')
    }
  })
})
