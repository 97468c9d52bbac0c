import { posix, win32 } from 'node:path'
import { isAllowed, matchPattern, parsePatterns, type ToolCall, trustOf } from 'agent-apps'
import fc from 'fast-check'
import picomatch from 'picomatch'
import { describe, expect, it } from 'vitest'
import { compileGlob, GlobProblem } from '../../src/patterns/glob.js'
import { matchGlob } from '../../src/patterns/match-glob.js'
import { character } from '../support/characters.js'
import { times } from '../support/long.js'
import { processorTime } from '../support/processor-time.js'

const RUNS = times(100, 1_000_000)

function call(name: string, args: unknown = {}, more: Partial<ToolCall> = {}): ToolCall {
  return { name, tags: [], args, ...more }
}

function allows(list: string, one: ToolCall): boolean {
  return isAllowed(parsePatterns(list), one).answer
}

function problems(list: string): string[] {
  return parsePatterns(list).flatMap(({ problem }) =>
    problem ? [`${problem.offset}: ${problem.message}`] : [],
  )
}

describe('the examples of the design', () => {
  it('all internal tools, and a specific one', () => {
    const list = '#meta-internal custom-tool'
    expect(allows(list, call('skill-list', {}, { tags: ['meta-internal'] }))).toBe(true)
    expect(allows(list, call('custom-tool'))).toBe(true)
    expect(allows(list, call('other'))).toBe(false)
  })

  it('everything but destructive tools', () => {
    const list = '* #destructive($deny)'
    expect(allows(list, call('read'))).toBe(true)
    expect(allows(list, call('rm', {}, { tags: ['destructive'] }))).toBe(false)
  })

  it('everything but some operations', () => {
    const list = '* context-manager(op={finish,fail},$deny)'
    const manager = (op: string) => call('context-manager', { op }, { isLibrary: true })
    expect(['finish', 'fail', 'read'].map(op => allows(list, manager(op)))).toEqual([false, false, true])
    expect(allows('context-manager(op=finish,$deny)', manager('finish'))).toBe(false)
    expect(allows('context-manager(op=finish,$deny)', manager('fail'))).toBe(true)
    expect(allows('', manager('finish'))).toBe(true)
  })

  it('a sub-agent with certain tools', () => {
    const list = 'file-read agent(allowedTools=file-read)'
    expect(allows(list, call('file-read'))).toBe(true)
    expect(allows(list, call('agent', { allowedTools: 'file-read' }))).toBe(true)
    expect(allows(list, call('agent', { allowedTools: ['file-read'] }))).toBe(true)
    expect(allows(list, call('agent', { allowedTools: ['file-read', 'bash'] }))).toBe(false)
    expect(allows(list, call('agent'))).toBe(false)
  })

  it('callback references', () => {
    expect(allows('file-read callback-*', call('callback-1a2b3c4d'))).toBe(true)
  })

  it('trust for internal tools, asking for the rest', () => {
    const rules = parsePatterns('#meta-internal($policy=allow) *')
    expect(trustOf(rules, call('x', {}, { tags: ['meta-internal'] }))?.answer).toBe('allow')
    expect(trustOf(rules, call('x'))?.answer).toBe('ask')
  })

  it('a tag, a prefix, an operation', () => {
    expect(parsePatterns('#meta-internal bash(git:*) agent(op={run,ask},$deny)')).toMatchObject([
      { selects: 'tag', offset: 0, arguments: [], keys: [], options: {} },
      { selects: 'name', offset: 15, keys: [{ prefix: 'git' }], options: {} },
      { selects: 'name', offset: 27, arguments: [{ path: 'op' }], options: { deny: true } },
    ])
  })
})

/** What patterns are made of, and what names are. */
const piece = fc.constantFrom(
  ...['a', 'b', 'c', '-', 'ab', '.', '_', '0', 'A', '/', '*', '*', '?', '?a', 'x/', '+', '@', '\\*', '\\.'],
  ...[
    '[ab]',
    '[^a]',
    '[a-c]',
    '[a-]',
    '[\\]a]',
    '[.-0]',
    '[^b-]',
    '[',
    ']',
    '!',
    '|',
    ',',
    '(',
    ')',
    '{',
    '}',
  ],
  ...[
    '{a,b}',
    '{a,b*}',
    '{,a}',
    '{a/b,c}',
    '{a,{b,c}}',
    '{*,b}',
    '{/a,b}',
    '$',
    '^',
    '**',
    '/**',
    '**/',
    '/**/',
  ],
  ...['!(a|b)', '!(a*)', '!({a,b})', '!()', '!(|a)', '!('],
)
const pattern = fc
  .array(piece, { minLength: 1, maxLength: 6 })
  .map(pieces => pieces.join(''))
  // picomatch takes exponential time beyond three, and takes "./" off.
  .filter(text => (text.match(/\*+/g) ?? []).length <= 3 && !text.startsWith('./'))
const segment = fc
  .string({ unit: fc.constantFrom(...'abcAx0-_.+!@*'), minLength: 1, maxLength: 6 })
  .filter(text => text !== '.' && text !== '..')
const name = fc.array(segment, { minLength: 1, maxLength: 3 }).map(segments => segments.join('/'))
/** What a caller may write for a path. */
const value = fc
  .array(
    fc.string({ unit: fc.constantFrom(...'ab.'), maxLength: 3 }).map(text => (text === '...' ? '..' : text)),
    { minLength: 1, maxLength: 5 },
  )
  .map(segments => segments.join('/'))

describe('globs', () => {
  it('agree with picomatch where both accept', () => {
    let compared = 0
    fc.assert(
      fc.property(pattern, fc.array(name, { minLength: 4, maxLength: 8 }), (glob, names) => {
        const program = compiled(glob)
        if (program === null) return
        const oracle = picomatch(glob, { dot: true })
        for (const text of names) {
          compared++
          expect([glob, text, matchGlob(program, text)]).toEqual([glob, text, oracle(text)])
        }
      }),
      { numRuns: RUNS },
    )
    // Nearly as many comparisons as runs, so that refusing is not how they agree.
    expect(compared).toBeGreaterThan(RUNS)
  })

  it('let no wildcard stand for a "." or ".." segment, nor match what picomatch does not', () => {
    let compared = 0
    fc.assert(
      fc.property(pattern, fc.array(value, { minLength: 4, maxLength: 8 }), (glob, values) => {
        const program = compiled(glob)
        if (program === null) return
        const oracle = picomatch(glob, { dot: true })
        for (const text of values) {
          compared++
          // Around "**", picomatch asks for a character where there may be none.
          if (matchGlob(program, text) && text !== '' && !/\*\*/.test(glob))
            expect([glob, text, oracle(text)]).toEqual([glob, text, true])
          for (const [at, one] of text.split('/').entries()) {
            if (!/^\.\.?$/.test(one)) continue
            // With a letter that no pattern knows in its place, what matches is a wildcard.
            const other = text.split('/').with(at, 'é'.repeat(one.length)).join('/')
            if (matchGlob(program, other))
              expect([glob, text, matchGlob(program, text)]).toEqual([glob, text, false])
          }
        }
      }),
      { numRuns: RUNS },
    )
    expect(compared).toBeGreaterThan(RUNS)
  })

  it('with stars alone, agree with picomatch on "." and ".." segments too', () => {
    const stars = fc
      .array(fc.constantFrom('a', '*', '**', 'a*', '*a', '..', '.'), { minLength: 1, maxLength: 3 })
      .map(segments => segments.join('/'))
      .filter(text => !text.startsWith('./'))
    const place = fc
      .array(fc.constantFrom('a', 'ab', '.', '..', '...', '.a', 'a.'), { minLength: 1, maxLength: 4 })
      .map(segments => segments.join('/'))
    fc.assert(
      fc.property(stars, place, (glob, text) => {
        const program = compiled(glob)
        if (program === null) return
        expect([glob, text, matchGlob(program, text)]).toEqual([
          glob,
          text,
          picomatch(glob, { dot: true })(text),
        ])
      }),
      { numRuns: RUNS },
    )
  })

  it.each([
    ['*', '..'],
    ['*', '.'],
    ['**', 'a/../b'],
    ['docs/*', 'docs/..'],
    ['docs/**', 'docs/../../../etc/passwd'],
    ['docs/**', 'docs/./a'],
    ['docs/**/x', 'docs/../x'],
    ['docs/??', 'docs/..'],
    ['docs/[.][.]', 'docs/..'],
    ['docs/.*', 'docs/..'],
    ['docs/..*', 'docs/..'],
    ['{*,x}', '..'],
    ['!(x)', '..'],
    ['.!(x)', '..'],
    ['*', ''],
    ['docs/*', 'docs/'],
  ])('%s does not match "%s"', (glob, text) => {
    expect(matchPattern(glob, text)).toBe(false)
  })

  it.each([
    ['..', '..'],
    ['../*', '../a'],
    ['docs/../*', 'docs/../a'],
    ['{.,a}/x', './x'],
    ['docs/*', 'docs/...'],
    ['docs/.*', 'docs/..a'],
  ])('%s matches "%s"', (glob, text) => {
    expect(matchPattern(glob, text)).toBe(true)
  })

  it('take steps linear in the text, whatever the pattern', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), name, fc.nat({ max: 200 }), (pieces, text, times) => {
        const program = compiled(pieces.join(''))
        if (program === null) return
        const long = text.repeat(times + 1)
        const count = { steps: 0 }
        matchGlob(program, long, { count })
        expect(count.steps).toBeLessThanOrEqual((program.steps ?? program.not).length * (long.length + 1))
      }),
      { numRuns: RUNS / 10 },
    )
  })

  const text = `${'a'.repeat(64)}!`
  it.each([
    ['*a'.repeat(8), text],
    ['*a'.repeat(400), 'a'.repeat(times(2_000, 10_000))],
    ['!(a|aa|aaa*)', text],
    ['+(a|aa)', text],
    ['+(+(a))', text],
    ['*(*(a))', text],
    ['!(!(!(a)))', text],
    ['[[:alpha:]]'.repeat(20), text],
    [`${'{a,'.repeat(200)}b${'}'.repeat(200)}`, text],
    ['{a,b}'.repeat(200), 'a'.repeat(200)],
    ['{1..100000000}', '5'],
    ['**/'.repeat(300), 'a/'.repeat(times(1_000, 5_000))],
    ['!('.repeat(500_000), text],
    ['{'.repeat(500_000), text],
    ['('.repeat(500_000), text],
    ['"'.repeat(500_001), text],
    [`bash(${'a=b,'.repeat(100_000)})`, text],
    ['\\a'.repeat(500_000), text],
  ])('answer or refuse at once: %#', (hanging, against) => {
    const elapsed = processorTime()
    matchPattern(hanging, against)
    parsePatterns(hanging)
    expect(elapsed()).toBeLessThan(10_000)
  })

  it('say what they refuse, and where', () => {
    expect(
      problems('a(b[c,d) x@(y) [!a] a**b a|b +(x) {a} {1..3} !a [a b( !(a)b \\d a++'),
    ).toMatchInlineSnapshot(`
      [
        "3: "[" is not closed, or holds nothing",
        "10: "@(…)" and "+(…)" are not supported; write {a,b}",
        "15: write [^…] for all other characters, or [\\!…]",
        "21: "**" stands only for whole segments, outside braces",
        "26: "|" separates only inside "!(…)"; write {a,b}",
        "29: "@(…)" and "+(…)" are not supported; write {a,b}",
        "34: braces need at least two alternatives",
        "38: ranges in braces are not supported; write [a-c] or {a,b,c}",
        "45: "!" negates only as "!(…)" at the end; to deny, write ($deny)",
        "48: "[" is not closed, or holds nothing",
        "52: "(" is not closed",
      ]
    `)
  })

  function compiled(glob: string): ReturnType<typeof compileGlob> | null {
    try {
      return compileGlob(glob)
    } catch (error) {
      expect(error).toBeInstanceOf(GlobProblem)
      return null
    }
  }
})

describe('lists', () => {
  it.each([
    ['Read, Write', ['Read', 'Write']],
    ['Read,Write', ['Read', 'Write']],
    [' read\n\twrite ', ['read', 'write']],
    ['', []],
    ['bash(git add:*, git commit:*) read', ['bash(git add:*, git commit:*)', 'read']],
    ['{a, b} c', ['{a, b}', 'c']],
    ['bash("a) b") c', ['bash("a) b")', 'c']],
    ["don't stop", ["don't", 'stop']],
    ['"Read" "Write"', ['"Read"', '"Write"']],
  ])('%j', (list, tokens) => {
    expect(parsePatterns(list).map(({ text }) => text)).toEqual(tokens)
    for (const { text, offset } of parsePatterns(list)) expect(list.startsWith(text, offset)).toBe(true)
  })

  it('never throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: character }),
          fc.array(piece).map(all => all.join('')),
        ),
        list => {
          const rules = parsePatterns(list)
          for (const rule of rules) {
            expect(rule.problem === undefined).toBe(rule.glob !== undefined)
            expect(list.startsWith(rule.text, rule.offset)).toBe(true)
          }
          expect(JSON.parse(JSON.stringify(rules))).toEqual(rules)
          isAllowed(rules, call('a', { a: 1 }, { key: 'a' }))
          trustOf(rules, call('a', { a: 1 }, { key: 'a' }))
        },
      ),
      { numRuns: RUNS / 10 },
    )
  })
})

describe('matchPattern', () => {
  it.each([
    ['read', 'read', [], true],
    ['Read', 'read', [], true],
    ['{Read,Write}', 'write', [], true],
    ['Todo*', 'todowrite', [], true],
    ['!(Bash)', 'bash', [], false],
    ['!(bash)', 'bash', [], false],
    ['!(Bash)', 'read', [], true],
    ['#api', 'x', ['api'], true],
    ['#API', 'x', ['api'], true],
    ['#meta-*', 'x', ['a', 'meta-internal'], true],
    ['#api', 'api', [], false],
    ['$read', 'read', [], false],
    ['bash(git:*)', 'bash', [], false],
    ['bash($deny)', 'bash', [], false],
    ['', '', [], false],
    ['[', '[', [], false],
  ])('%s on %s %j is %s', (glob, tool, tags, answer) => {
    expect(matchPattern(glob, tool, tags)).toBe(answer)
  })
})

const ESCAPES = [
  'git; rm -rf /',
  'git;rm',
  'git && rm',
  'git & rm',
  'git | sh',
  'git || rm',
  'git log > /etc/passwd',
  'git log >> x',
  'git < x',
  'git <(rm)',
  'git >(rm)',
  'git `rm`',
  'git $(rm)',
  'git "$(rm)"',
  'git\nrm',
  'git log\nrm',
  'git\rrm',
  'git log\r\nrm',
  'git \\\nrm',
  'git <<EOF\nrm\nEOF',
  'git-rm',
  'gitrm',
  'git\u00a0rm',
  'git\u2028rm',
  'git\u3000rm',
  'git\ufeffrm',
  'git\u000brm',
  'git\frm',
  'git\0rm',
  'git/../rm',
  'git\\rm',
  '"git" rm',
  ' git',
  '\ngit status',
  'rm; git',
  'rm git',
  'FOO=1 git',
  'Git status',
  'ｇｉｔ status',
  '',
]
describe('rules for commands', () => {
  const rules = ['bash(git:*)', 'Bash(git *)', 'bash("git *")', 'bash(git log:*, git:*)', 'bash({git,git} *)']
  it.each(rules)('%s lets no other command through', rule => {
    for (const key of ESCAPES) expect([key, allows(rule, call('bash', {}, { key }))]).toEqual([key, false])
    for (const key of ['git status', 'git add src/a.ts', 'git commit -m "a (b)"'])
      expect([key, allows(rule, call('bash', {}, { key }))]).toEqual([key, true])
    expect(allows(rule, call('bash'))).toBe(false)
  })

  it('a rule that denies sees each command', () => {
    const keys = ['rm', 'rm -rf /', ' rm x', 'ls; rm x', 'ls && rm x', 'ls | rm x', 'ls `rm x`', 'ls $(rm x)']
    for (const key of [...keys, 'ls\nrm x', 'ls & rm x', 'ls <(rm x)', '(rm x)']) {
      for (const rule of ['* bash(rm:*,$deny)', 'bash(rm *,rm,$deny) *'])
        expect([key, allows(rule, call('bash', {}, { key }))]).toEqual([key, false])
    }
    expect(allows('* bash(rm -rf /,$deny)', call('bash', {}, { key: 'ls; rm -rf /' }))).toBe(false)
    expect(allows('* bash(rm:*,$deny)', call('bash', {}, { key: 'rmdir x' }))).toBe(true)
    expect(allows('* bash(rm:*,$deny)', call('bash'))).toBe(false)
    expect(allows('* read(src/*,$deny)', call('read', {}, { key: 'src/a/b' }))).toBe(false)
  })

  it('a glob with slashes goes by segments, one without does not', () => {
    const reads = (rule: string, key: string) => allows(rule, call('read', {}, { key }))
    expect(reads('Read(src/*)', 'src/a')).toBe(true)
    expect(reads('Read(src/*)', 'src/a/b')).toBe(false)
    expect(reads('Read(src/**)', 'src/a/b')).toBe(true)
    expect(reads('Read(*.ts)', 'src/a.ts')).toBe(true)
    expect(reads('Read(*)', 'a; b')).toBe(true)
  })
})

describe('constraints', () => {
  it.each([
    ['t(a=x)', { a: 'x' }, true, true],
    ['t(a=x)', { a: 'y' }, false, false],
    ['t(a=x)', {}, false, true],
    ['t(a=x)', { a: null }, false, true],
    ['t(a=x)', undefined, false, true],
    ['t(a=x)', { a: [] }, false, true],
    ['t(a=x*)', { a: ['x', 'xy'] }, true, true],
    ['t(a=x*)', { a: ['x', 'y'] }, false, true],
    ['t(a=x)', { a: ['y'] }, false, false],
    ['t(a=x)', { a: ['x', null] }, false, true],
    ['t(a=x)', { a: ['y', null] }, false, true],
    ['t(a=x)', { a: ['y', undefined] }, false, true],
    ['t(a=x)', { a: ['x', []] }, false, true],
    ['t(a=x)', { a: ['y', []] }, false, true],
    ['t(a=src/**)', { a: ['src/a', null] }, false, true],
    ['t(a=src/**)', { a: ['src/a', [[]]] }, false, true],
    ['t(a=x)', { a: '' }, false, true],
    ['t(a={x,})', { a: '' }, false, true],
    ['t(a=src/**)', { a: ['src/a', ''] }, false, true],
    ['t(a=x)', { a: [['x']] }, true, true],
    ['t(a=x)', { a: { b: 1 } }, false, true],
    ['t(a=1)', { a: 1 }, true, true],
    ['t(a=true)', { a: true }, true, true],
    ['t(a.b=x)', { a: { b: 'x' } }, true, true],
    ['t(a.b=x)', { a: 'x' }, false, true],
    ['t(a[0]=x)', { a: ['x', 'y'] }, true, true],
    ['t(a[*].p=x)', { a: [{ p: 'x' }, { p: 'x' }] }, true, true],
    ['t(a[*].p=x)', { a: [{ p: 'x' }, { p: 'y' }] }, false, true],
    ['t(a["b.c"]=x)', { a: { 'b.c': 'x' } }, true, true],
    ['t(a={x,y},b=z)', { a: 'y', b: 'z' }, true, true],
    ['t(a={x,y},b=z)', { a: 'y', b: 'q' }, false, false],
    ['t(a="x, y")', { a: 'x, y' }, true, true],
    ['t(a=src/*)', { a: 'src/a/b' }, false, true],
    ['t(toString=*)', {}, false, true],
  ])('%s on %j allows: %s, denies: %s', (rule, args, isAllowing, isDenying) => {
    expect(problems(rule)).toEqual([])
    expect(allows(rule, call('t', args))).toBe(isAllowing)
    expect(allows(`* ${rule.slice(0, -1)},$deny)`, call('t', args))).toBe(!isDenying)
  })
})

describe('constraints on paths', () => {
  it.each([
    ['docs/**', 'docs/../../../etc/passwd'],
    ['docs/**', 'docs/..'],
    ['docs/**', 'docs/../docs/../x'],
    ['docs/**', 'docs/a/../../x'],
    ['docs/**', 'docs\\..\\x'],
    ['docs/**', 'docs/a\\..\\..\\..\\etc'],
    ['docs/**', 'docs/..\\x'],
    ['docs/**', 'docs/a\\b\\c/../../../x'],
    ['docs/**', 'docs\\x'],
    ['docs/*', 'docs/a\\b'],
    ['docs/**', '/etc/passwd'],
    ['docs/**', '/docs/a'],
    ['docs/**', 'C:/docs/a'],
    ['docs/**', 'C:docs/a'],
    ['**/*.md', '/etc/a.md'],
    ['**/*.md', '//server/share/a.md'],
    ['**/*.md', 'C:/a.md'],
    ['**/*.md', 'C:\\a.md'],
    ['**/*.md', 'C:a.md'],
    ['**/*.md', '\\etc\\a.md'],
    ['*/*.md', '/a.md'],
    ['*/*.md', '\\a.md'],
    ['/srv/**', '/srv/../etc/passwd'],
    ['/srv/**', '//srv/share'],
    ['/**', '//server/share'],
    ['home/*/public/**', 'home//public/a'],
    ['home/*/public/**', 'home/./public/a'],
    ['a*/**', 'ab/'],
    ['docs/..*', 'docs/..'],
    ['../shared/**', '../shared/../secret'],
    ['../shared/**', '../../shared/a'],
    ['https://api.example/**', 'https://api.example/../../x'],
    ['https://api.example/**', 'https://evil.example\\api.example/x'],
  ])('%s does not allow %s', (glob, path) => {
    expect(allows(`read(path=${glob})`, call('read', { path }))).toBe(false)
    expect(allows(`Read(${glob})`, call('read', {}, { key: path }))).toBe(false)
  })

  it.each([
    ['docs/**', 'docs/a'],
    ['docs/**', 'docs/a/b.md'],
    ['docs/**', 'docs'],
    ['docs/**', 'docs/'],
    ['docs/**', 'docs//a'],
    ['docs/**', 'docs/..a'],
    ['docs/**', 'docs/...'],
    ['docs/**', 'docs/%2e%2e/a'],
    ['./docs/**', './docs/a'],
    ['/srv/**', '/srv/a'],
    ['C:/srv/**', 'C:/srv/a'],
    ['../shared/**', '../shared/a'],
    ['https://api.example/**', 'https://api.example/v1/a'],
    ['**/*.md', 'a/b.md'],
  ])('%s allows %s', (glob, path) => {
    expect(allows(`read(path=${glob})`, call('read', { path }))).toBe(true)
    expect(allows(`Read(${glob})`, call('read', {}, { key: path }))).toBe(true)
  })

  it.each([
    ['secrets/**', 'secrets/x'],
    ['secrets/**', './secrets/x'],
    ['secrets/**', './/./secrets//x'],
    ['secrets/**', 'docs/../secrets/x'],
    ['secrets/**', 'docs\\..\\secrets\\x'],
    ['secrets/**', 'docs\\a/../secrets/x'],
    ['secrets/**', 'a/b/../../secrets'],
    ['secrets/**', 'secrets/../secrets/x'],
    ['secrets/**', 'secrets/a/../x'],
    ['secrets/**', '/srv/project/secrets/x'],
    ['secrets/**', '../project/secrets/x'],
    ['secrets/**', 'C:\\project\\secrets\\x'],
    ['secrets/**', 'C:secrets\\x'],
    ['secrets/key', './secrets/key'],
    ['secrets/key', '/srv/secrets/./key'],
    ['./secrets/**', 'secrets/x'],
    ['secrets//**', 'secrets/x'],
    ['secrets/', 'secrets'],
    ['.env', './.env'],
    ['.env', 'docs/../.env'],
    ['.env', '/srv/project/.env'],
    ['/etc/**', '../../../../etc/passwd'],
    ['/etc/**', 'docs/../../../etc/passwd'],
    ['/etc/**', '/usr/../etc/passwd'],
    ['/etc/**', '//etc/passwd'],
    ['/etc/**', 'C:/etc/passwd'],
    ['C:/keys/**', 'C:\\work\\..\\keys\\x'],
    ['../shared/**', 'docs/../../shared/x'],
    ['!(docs*)', 'docs/../x'],
    ['k!(x)', '/srv/key'],
    ['**', '..'],
    ['*', '..'],
    ['docs/*', 'docs/..'],
  ])('%s denies %s', (glob, path) => {
    expect(allows(`* read(path=${glob},$deny)`, call('read', { path }))).toBe(false)
    expect(allows(`* read(${glob},$deny)`, call('read', {}, { key: path }))).toBe(false)
    expect(
      trustOf(parsePatterns(`read(path=${glob}) *($policy=allow)`), call('read', { path }))?.answer,
    ).toBe('ask')
  })

  it.each([
    ['secrets/**', 'docs/x'],
    ['secrets/**', 'secretsx/y'],
    ['secrets/**', '/srv/docs/x'],
    ['secrets/**', 'docs/secrets/x'],
    ['/etc/**', '/srv/etc/x'],
    ['/etc/**', 'etc/x'],
    ['.env', 'docs/.env'],
  ])('%s does not deny %s', (glob, path) => {
    expect(allows(`* read(path=${glob},$deny)`, call('read', { path }))).toBe(true)
    expect(allows(`* read(${glob},$deny)`, call('read', {}, { key: path }))).toBe(true)
  })

  it.each([
    ['*.md', '..\\x.md'],
    ['*', 'a\\..\\..\\x'],
    ['C:\\\\docs\\\\*', 'C:\\docs\\..\\x'],
    ['**', 'a/..\\x'],
  ])('%s, which has no "/", does not allow %s either', (glob, path) => {
    expect(problems(`read(path=${glob})`)).toEqual([])
    const reads = (one: string): boolean =>
      allows(`read(path=${glob})`, call('read', { path: one }, { mayExecute: false }))
    expect(reads(path)).toBe(false)
    expect(reads(path.replaceAll('..', 'a'))).toBe(true)
  })

  it('let nothing through that leads elsewhere, on either system', () => {
    const part = fc.constantFrom('docs', 'a', '.', '..', '...', '', 'C:', 'docs\\a', '..\\..', '%2e%2e')
    const parts = fc.array(part, { maxLength: 6 })
    const glob = fc.constantFrom(
      'docs/**',
      'docs/*',
      '*/a',
      '**/a',
      './docs/**',
      '../a/*',
      'docs/*/a',
      'a*/**',
    )
    let allowed = 0
    fc.assert(
      fc.property(glob, parts, fc.constantFrom('/', '\\'), (one, segments, separator) => {
        const path = segments.join(separator)
        if (!allows(`t(path=${one})`, call('t', { path }, { mayExecute: false }))) return
        allowed++
        const places = [
          posix.relative('/srv/here', posix.resolve('/srv/here', path)),
          win32.relative('W:\\work\\here', win32.resolve('W:\\work\\here', path)).replaceAll('\\', '/'),
        ]
        for (const place of places) {
          expect([one, path, win32.isAbsolute(place)]).toEqual([one, path, false])
          expect([one, path, picomatch(one, { dot: true })(place)]).toEqual([one, path, true])
        }
      }),
      // About one in 150 is allowed, so that of 2,000 some are.
      { numRuns: times(2_000, 4_000_000) },
    )
    expect(allowed).toBeGreaterThan(RUNS / 200)
  })

  it('take time linear in the path', { tags: 'long' }, () => {
    const paths = ['../', './', '/', 'a/', 'a/../', '\\'].map(text => text.repeat(500_000))
    const elapsed = processorTime()
    for (const path of paths) {
      expect(allows('t(path=docs/**)', call('t', { path }))).toBe(false)
      expect(allows('* t(path=docs/*/x,$deny)', call('t', { path }))).toBe(true)
    }
    expect(elapsed()).toBeLessThan(10_000)
  })

  it('hold for a rule that denies a tool by name, whatever the name', () => {
    for (const name of ['..', './x', 'a/../b', '/x'])
      expect([name, allows('**($deny)', call(name)), allows('** **($deny)', call(name))]).toEqual([
        name,
        false,
        false,
      ])
  })
})

describe('decisions', () => {
  it('end, however the arguments refer to each other', () => {
    let doubling: unknown = 'x'
    for (let level = 0; level < 60; level++) doubling = [doubling, doubling]
    const cycle: unknown[] = ['x']
    cycle.push(cycle)
    const holes = ['x', new Array(4_000_000_000)]
    for (const [a, isAllowing] of [
      [doubling, true],
      [cycle, true],
      [holes, false],
    ]) {
      expect(allows('t(a=x)', call('t', { a }))).toBe(isAllowing)
      expect(allows('t(a=y)', call('t', { a }))).toBe(false)
    }
  })

  it('without rules everything is allowed, with an empty list nothing', () => {
    expect(isAllowed(undefined, call('x'))).toEqual({ answer: true, rule: null })
    expect(allows('', call('x'))).toBe(false)
  })

  it('what denies wins wherever it stands', () => {
    for (const list of ['* x($deny)', 'x($deny) *', 'x x($deny) x', '*($deny) x'])
      expect([list, allows(list, call('x'))]).toEqual([list, false])
  })

  it('what cannot be parsed allows nothing', () => {
    expect(allows('x( x[ x($maybe) x($policy=maybe) x($deny=1) x(a..b..=1) x(:*)', call('x'))).toBe(false)
  })

  it('$ selects the library’s own tool, even where another has its name', () => {
    expect(allows('$read', call('read', {}, { isLibrary: true }))).toBe(true)
    expect(allows('$read', call('read'))).toBe(false)
  })

  it('for trust, the first rule that matches wins', () => {
    const trust = (list: string, one: ToolCall) => trustOf(parsePatterns(list), one)?.answer ?? null
    expect(trust('x($policy=allow) x($policy=deny)', call('x'))).toBe('allow')
    expect(trust('x($policy=deny) x($policy=allow)', call('x'))).toBe('deny')
    expect(trust('x($deny) x($policy=allow)', call('x'))).toBe('deny')
    expect(trust('x($policy=allow) x($deny)', call('x'))).toBe('allow')
    expect(trust('x x($policy=allow)', call('x'))).toBe('ask')
    expect(trust('y', call('x'))).toBe(null)
    expect(trust('x[ x($policy=allow)', call('x'))).toBe('allow')
  })

  it('for trust, a rule that asks cannot be passed by a second command', () => {
    const trust = (list: string, key?: string) =>
      trustOf(parsePatterns(list), call('bash', {}, key === undefined ? {} : { key }))?.answer ?? null
    const list = 'bash(rm:*) bash($policy=allow)'
    expect(trust(list, 'rm x')).toBe('ask')
    expect(trust(list, 'ls; rm x')).toBe('ask')
    expect(trust(list)).toBe('ask')
    expect(trust(list, 'ls')).toBe('allow')
    expect(trust('bash(git:*) bash($policy=deny)', 'git x; rm')).toBe('deny')
    expect(trust('bash(rm:*,$policy=deny) bash($policy=allow)', 'ls; rm x')).toBe('deny')
    expect(trust('bash(git:*)', 'git x; rm')).toBe('ask')
  })
})
