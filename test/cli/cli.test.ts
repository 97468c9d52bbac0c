import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { agentApps, COMMAND, type Said, spawnAgentApps } from '../support/commands.js'
import { isLong, some } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill, snapshot, type Tree } from '../support/tree.js'

const COMMANDS = [
  'init',
  'compile',
  'clean',
  'check',
  'list',
  'describe',
  'explain',
  'run',
  'render',
  'graph',
  'explore',
  'approvals',
  'doctor',
]

const PARAMS = { type: 'object', properties: { text: { type: 'string' } } }
const PROJECT: Tree = {
  'agent-apps.config.json': '{ "paths": ["./skills", "./more"] }\n',
  'skills/notes/SKILL.md': skill(
    'notes',
    '# Notes\n\nWrite them.',
    'metadata:\n  tags:\n    - Writing\n    - Team Work\n',
  ),
  'skills/notes/references/a.txt': 'a\n',
  'skills/hidden.skill.md': skill('hidden', 'Hidden.\n', 'metadata:\n  visibility: hidden\n'),
  'skills/count.skill.js': `export const frontmatter = { name: 'count', description: 'Counts.', metadata: { params: ${JSON.stringify(PARAMS)} } }
export default (ctx, args) => typeof args?.text === 'string' ? args.text.split(' ').length : args\n`,
  'more/notes/SKILL.md': skill('notes', 'Shadowed.\n'),
}
const project = (more: Tree = {}): string => codeProject({ ...PROJECT, ...more }).root

describe('help and usage', () => {
  it('--help lists every command, and each has an example of its own', async () => {
    const { stdout, stderr, status } = await agentApps(temporary(), ['--help'])
    expect([status, stderr]).toEqual([0, ''])
    for (const command of COMMANDS) {
      expect(stdout).toContain(`  ${command} `)
      for (const args of some([
        [command, '-h'],
        ['help', command],
        [command, '--help'],
      ])) {
        const help = await agentApps(temporary(), args)
        expect([help.status, help.stderr]).toEqual([0, ''])
        expect(help.stdout).toContain(`Usage: agent-apps ${command}`)
        expect(help.stdout).toMatch(/Example:\n {2}agent-apps /)
      }
    }
  })

  it('render says what it leaves out, which run does not', async () => {
    const root = project({
      'skills/cut.skill.md': skill('cut', 'A long text.\n', 'metadata: { limit: 6 }\n'),
    })
    expect((await agentApps(root, ['render', '--help'])).stdout).toContain(
      'nothing that runs around the tool',
    )
    expect((await agentApps(root, ['render', 'cut'])).stdout).toBe('A long text.\n')
    expect((await agentApps(root, ['run', 'cut'])).stdout).toContain('A long\n[Cut')
  })

  it('--version is the package’s', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect(spawnAgentApps(temporary(), ['--version']).stdout).toBe(`${version}\n`)
  })

  it.each([
    [['complie'], 'Did you mean `agent-apps compile`?'],
    [['zzzzzzzz'], 'See `agent-apps --help`'],
    [['compile', '--froce'], 'Did you mean --force?'],
    [['list', '--zzzzzzzz'], 'See `agent-apps list --help`'],
    [['check', '--format', 'githib'], 'Did you mean --format github?'],
    [['describe'], 'Usage: agent-apps describe <ref>'],
    [['render', 'a', 'b'], 'Usage: agent-apps render <ref>'],
    [['run', 'count', '--args', '[1]'], 'Write --arg key=value'],
    [['run', 'count', '--args', '{'], 'Write --arg key=value'],
    [['run', 'count', '--arg', '=1'], 'Write --arg key=value'],
    [['run', 'count', '--arg', 'text'], 'Write --arg key=value'],
    [['run', 'count', '--arg', 'text=a', '--arg', 'text=b'], `Write a list as JSON: --arg text='["a", "b"]'`],
    [['--jsn', 'list'], 'Did you mean --json?'],
    [['--quiet'], 'Usage: agent-apps <command> [options]'],
    [['--cwd', 'list'], 'Usage: agent-apps <command> [options]'],
    [['compile', '--cwd'], 'Write --cwd=DIR. See `agent-apps compile --help`'],
    [['run', 'count', '--arg'], 'Write --arg=KEY=VALUE. See `agent-apps run --help`'],
    [['run', 'count', '--arg', '--quiet'], '`agent-apps run` has no value for --arg.'],
    [['list', 'notes'], 'Usage: agent-apps list\n'],
    [
      ['compile', '--external', 'pg,@a/zod'],
      'Repeat `--external` for each: --external pg --external @a/zod.',
    ],
    [['compile', '--external', './lib'], 'Use its name in package.json'],
    [['compile', '--watch', '--external', 'a,b'], 'Repeat `--external` for each'],
    [['compile', '--bundle', 'dist/other.txt'], 'ends in `.mjs` or `.js`'],
    [['compile', '--bundle', 'dist/a.mjs', '--keep', 'zzz'], '`agent-apps list` shows the tools'],
    [
      ['compile', '--keep', 'c*', '--keep', 'count'],
      "`agent-apps compile --bundle dist/agent.mjs --keep 'c*' --keep count`",
    ],
    [['check', ''], 'Name a directory'],
    [['compile', '--check=yes'], 'Write --check alone. See `agent-apps compile --help`'],
  ])('%j is wrong usage', async (args, hint) => {
    const { status, stdout, stderr } = await agentApps(project(), args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain('(USAGE)')
    expect(stderr).toContain(hint)
  })

  it('where there are no tools, says what does tell where they are looked for', async () => {
    const { status, stderr } = await agentApps(
      makeTree({ 'agent-apps.config.json': '{"paths":["./gone"]}' }),
      ['list'],
    )
    const [tools, missing, doctor] = stderr.split('\n')
    expect(missing).toMatch(/^gone:1:1 warning The directory does not exist/)
    expect([status, `${tools}\n${doctor}\n`]).toEqual([
      1,
      '0 tools\nNo skill was found. `agent-apps doctor` shows the searched paths; --allow-empty accepts this.\n',
    ])
    expect((await agentApps(project(), ['list', '--tag', 'none'])).stderr).toBe('0 tools\n')
  })

  it('a directory to work in that is not there is told', async () => {
    const { status, stdout, stderr } = await agentApps(project(), ['list', '--cwd', 'gone'])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/There is no directory .*gone\. \(DIRECTORY_NOT_FOUND\)\n {2}Correct --cwd/)
  })

  it('errors are JSON with --json', async () => {
    const { status, stdout, stderr } = await agentApps(project(), ['describe', 'coutn', '--json'])
    expect([status, stderr]).toEqual([1, ''])
    expect(JSON.parse(stdout)).toEqual({
      error: 'TOOL_NOT_FOUND',
      message: 'There is no tool "coutn".',
      hint: 'Did you mean "count"?',
      tool: 'coutn',
    })
  })
})

describe('compile and clean', () => {
  it('compiles, says so in one line, and compiles no more', async () => {
    const root = project()
    const first = await agentApps(root, ['compile'])
    expect([first.status, first.stderr]).toEqual([0, 'catalog: 2 tools, about 69 tokens\n'])
    expect(first.stdout).toMatch(
      /^compiled 3 skills from 4 files \(4 changed\) in \d+ ms · \.agent-apps\.json in 2 directories\n$/,
    )
    expect((await agentApps(root, ['compile', '--check'])).status).toBe(0)
    const again = JSON.parse((await agentApps(root, ['compile', '--json'])).stdout) as Record<string, unknown>
    expect(again).toMatchObject({
      counts: { files: 4, found: 3, shadowed: 1, skipped: 0 },
      diagnostics: [],
      written: [],
      outdated: [],
      stale: [],
      reused: 4,
      rendered: 0,
      catalog: { tools: 2, tokens: expect.any(Number) },
    })
    expect(JSON.parse((await agentApps(root, ['compile', '--json', '--force'])).stdout)).toMatchObject({
      reused: 0,
      written: [],
    })
  })

  it('--check fails where an index is missing or out of date, and writes nothing', async () => {
    const root = project()
    const before = snapshot(root)
    const missing = await agentApps(root, ['compile', '--check'])
    expect(missing.status).toBe(1)
    expect(missing.stdout).toContain('out of date: skills/.agent-apps.json')
    expect(snapshot(root)).toEqual(before)
    await agentApps(root, ['compile'])
    writeFileSync(join(root, 'skills/hidden.skill.md'), skill('hidden', 'Changed.\n'))
    const stale = await agentApps(root, ['compile', '--check'])
    expect([stale.status, stale.stdout]).toEqual([
      1,
      'out of date: skills/.agent-apps.json\n  hidden\nrun `agent-apps compile`\n',
    ])
    expect(JSON.parse((await agentApps(root, ['compile', '--check', '--json'])).stdout)).toMatchObject({
      stale: ['hidden'],
    })
  })

  it('--check names the skills of an edit that keeps the size, and doctor does', async () => {
    const root = project({
      'skills/two.skill.md': `${skill('one', 'Say.\n')}\n${skill('two', 'Say.\n')}`,
    })
    await agentApps(root, ['compile'])
    writeFileSync(
      join(root, 'skills/hidden.skill.md'),
      skill('hidden', 'Hidxen.\n', 'metadata:\n  visibility: hidden\n'),
    )
    expect((await agentApps(root, ['compile', '--check'])).stdout).toContain(
      '.agent-apps.json\n  hidden\nrun',
    )
    expect((await agentApps(root, ['doctor'])).stdout).toContain('out of date: hidden\n')
    await agentApps(root, ['compile'])
    writeFileSync(join(root, 'skills/two.skill.md'), `${skill('one', 'Say.\n')}\n${skill('two', 'Sax.\n')}`)
    expect(JSON.parse((await agentApps(root, ['compile', '--check', '--json'])).stdout)).toMatchObject({
      stale: ['one', 'two'],
    })
  })

  it('says that --strict is why it fails', async () => {
    const root = project({ 'skills/other/SKILL.md': skill('differs') })
    const said = ', 1 warning (--strict fails on warnings)'
    for (const command of ['check', 'compile']) {
      expect((await agentApps(root, [command, '--strict'])).stdout).toContain(said)
      expect((await agentApps(root, [command])).stdout).not.toContain('--strict')
    }
    expect((await agentApps(root, ['compile', '--check', '--strict'])).stdout).toContain(said)
    writeFileSync(join(root, 'skills/bad.skill.js'), 'const = 1\n')
    expect((await agentApps(root, ['check', '--strict'])).stdout).not.toContain('--strict')
  })

  it('exits 1 on errors, with --strict on warnings, and tells them on stderr', async () => {
    const root = project({ 'skills/other/SKILL.md': skill('differs') })
    const warned = await agentApps(root, ['compile'])
    expect([warned.status, (await agentApps(root, ['compile', '--strict'])).status]).toEqual([0, 1])
    expect(warned.stderr).toContain('skills/other/SKILL.md')
    expect(warned.stdout).toContain(', 1 warning')
    expect((await agentApps(root, ['compile', '--quiet'])).stderr).toBe('')
    writeFileSync(join(root, 'skills/bad.skill.js'), 'const = 1\n')
    const failed = await agentApps(root, ['compile', '--quiet'])
    expect([failed.status, failed.stdout.includes('1 error')]).toEqual([1, true])
    expect(failed.stderr).toContain('code-syntax')
    expect(JSON.parse((await agentApps(root, ['compile', '--json'])).stdout)).toMatchObject({
      diagnostics: expect.arrayContaining([
        {
          file: 'skills/bad.skill.js',
          line: 1,
          column: 7,
          rule: 'code-syntax',
          severity: 'error',
          reason: expect.any(String),
          note: 'Correct the line.',
          fatal: true,
        },
      ]),
    })
  })

  it('tells the cause before what follows from it', async () => {
    const cwd = codeProject({
      'skills/a/SKILL.md': skill('a', '', 'metadata:\n  z: true\n  $inherit: [y]\n'),
      'skills/y/SKILL.md': skill('y', '', 'metadata: [\n'),
      'skills/z/SKILL.md': skill('z', '', 'metadata: {\n'),
    }).root
    const { stderr } = await agentApps(cwd, ['compile', 'skills'])
    expect(stderr.match(/[\w-]+$/gm)?.filter(word => /^\w+-(?:syntax|broken)$/.test(word))).toEqual([
      'yaml-syntax',
      'yaml-syntax',
      'middleware-broken',
      'inherit-broken',
    ])
    expect(stderr).toContain('Correct that skill first.')
  })

  it('names the file of each, and is one line each outside of a terminal', async () => {
    const cwd = codeProject({
      'skills/a/SKILL.md': skill('other-a', '', 'metadata:\n  z: true\n  visibility: a\n'),
      'skills/b/SKILL.md': skill('other-b'),
      'skills/z/SKILL.md': skill('z', '', 'metadata: {\n'),
    }).root
    for (const args of [[], ['--check']]) {
      const { stderr } = await agentApps(cwd, ['compile', 'skills', ...args])
      expect(stderr.match(/^skills\S+ (?:error|warning) .* [a-z-]+$/gm)).toHaveLength(5)
    }
  })

  it('exits 1 where there is nothing to compile', async () => {
    const { status, stdout, stderr } = await agentApps(temporary(), ['compile'])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('(NO_SKILL_PATHS)')
  })

  it('annotates in GitHub Actions', async () => {
    const root = project({ 'skills/bad,%1.skill.js': 'const = 1\n' })
    const { stderr } = await agentApps(root, ['compile'], { env: { GITHUB_ACTIONS: 'true' } })
    expect(stderr).toMatch(/^::error file=skills\/bad%2C%251\.skill\.js,line=1,col=7,title=code-syntax::/m)
  })

  it('annotates from the checkout, wherever in it the step works', async () => {
    const root = project({ 'skills/bad.skill.js': 'const = 1\n' })
    const annotated = async (cwd: string, args: string[], checkout: string): Promise<string[]> => {
      const { stdout } = await agentApps(cwd, ['check', '--format', 'github', ...args], {
        env: { GITHUB_WORKSPACE: checkout },
      })
      return stdout.match(/^::error file=[^,]*/gm) ?? []
    }
    const path = relative(dirname(root), join(root, 'skills/bad.skill.js'))
    expect(await annotated(root, [], dirname(root))).toEqual([`::error file=${path}`])
    expect(await annotated(join(root, 'more'), ['--cwd', '..'], dirname(root))).toEqual([
      `::error file=${path}`,
    ])
    expect(await annotated(root, [], root)).toEqual(['::error file=skills/bad.skill.js'])
    for (const elsewhere of ['', join(root, 'more')])
      expect(await annotated(root, [], elsewhere)).toEqual(['::error file=skills/bad.skill.js'])
    expect(await annotated(join(root, 'more'), ['--cwd', '..'], '')).toEqual([
      '::error file=../skills/bad.skill.js',
    ])
  })

  it('clean lists with --dry-run, and removes', async () => {
    const root = project()
    const before = snapshot(root)
    await agentApps(root, ['compile'])
    const compiled = snapshot(root)
    const dry = await agentApps(root, ['clean', '--dry-run'])
    expect(dry.status).toBe(0)
    expect(dry.stdout.split('\n')).toContain('skills/.agent-apps.json')
    expect(snapshot(root)).toEqual(compiled)
    const { removed, dryRun } = JSON.parse((await agentApps(root, ['clean', '--json'])).stdout) as {
      removed: string[]
      dryRun: boolean
    }
    expect([dry.stdout.trim().split('\n').sort(), dryRun]).toEqual([removed.sort(), false])
    expect(snapshot(root)).toEqual(before)
    expect((await agentApps(root, ['clean'])).stderr).toBe('removed 0 files\n')
  })
})

describe('check', () => {
  const BAD: Tree = {
    'skills/use/SKILL.md':
      '---\nname: use\ndescription: Use when: always\r\nlicense: "MIT"   # kept\n---\nBody: {x}\r\n\n',
  }

  it('tells every diagnostic on stdout, as text, JSON and for GitHub', async () => {
    const root = project(BAD)
    const before = snapshot(root)
    const text = await agentApps(root, ['check'])
    expect([text.status, text.stderr]).toEqual([0, 'catalog: 3 tools, about 100 tokens\n'])
    expect(text.stdout).toContain('colon-in-value')
    expect(text.stdout).toMatch(/^4 skills in 5 files \(1 shadowed\), 1 warning · paths: skills, more$/m)
    expect((await agentApps(root, ['check', '--strict'])).status).toBe(1)
    expect((await agentApps(root, ['check', '--quiet'])).stdout).not.toContain('colon-in-value')
    for (const args of [['--json'], ['--format', 'json']]) {
      expect(JSON.parse((await agentApps(root, ['check', ...args])).stdout)).toMatchObject({
        counts: { files: 5, found: 4, shadowed: 1, skipped: 0 },
        diagnostics: [{ file: 'skills/use/SKILL.md', line: 3, rule: 'colon-in-value', severity: 'warning' }],
        fixed: [],
      })
    }
    expect((await agentApps(root, ['check', '--format', 'github'])).stdout).toMatch(
      /^::warning file=skills\/use\/SKILL\.md,line=3,col=\d+,title=colon-in-value::/,
    )
    expect(snapshot(root)).toEqual(before)
  })

  it('names files from where it was started, and in JSON from --cwd', async () => {
    const root = project(BAD)
    const here = join(root, 'more')
    const heads = async (args: string[]): Promise<string[]> => {
      const { stdout, stderr } = await agentApps(here, [...args, '--cwd', '..'])
      return (stdout + stderr).match(/^\S*SKILL\.md(?=:\d+:\d+ )/gm) ?? []
    }
    expect(await heads(['check'])).toEqual(['../skills/use/SKILL.md'])
    expect(await heads(['compile'])).toEqual(['../skills/use/SKILL.md'])
    expect(await heads(['check', './skills'])).toEqual(['../skills/use/SKILL.md'])
    const { diagnostics } = JSON.parse(
      (await agentApps(here, ['check', '--json', '--cwd', '..'])).stdout,
    ) as {
      diagnostics: { file: string }[]
    }
    expect(diagnostics.map(({ file }) => file)).toEqual(['skills/use/SKILL.md'])
    writeFileSync(join(root, 'skills/count.skill.js'), 'changed')
    expect((await agentApps(here, ['verify', '--cwd', '..'])).stdout).toMatch(
      /^✗ \.\.\/skills\/count\.skill\.js /,
    )
    expect((await agentApps(here, ['check', '--spec', '--cwd', '..', '--verbose'])).stdout).toContain(
      ' ../skills/notes/SKILL.md',
    )
    writeFileSync(join(root, 'skills/.agent-apps.json'), '{}')
    expect((await agentApps(here, ['list', '--cwd', '..'])).stderr).toMatch(
      /^\.\.\/skills\/\.agent-apps\.json:1:1 /m,
    )
    expect((await agentApps(here, ['check', '--fix', '--cwd', '..'])).stderr).toMatch(
      /^fixed \.\.\/skills\/use\/SKILL\.md \(colon-in-value\)$/m,
    )
  })

  it('says where a name stands that is given twice', async () => {
    const root = project({
      'skills/also.skill.md': skill('notes', 'Again.\n'),
      'more/twice.skill.md': `${skill('twice', 'Once.\n')}\n${skill('twice', 'Twice.\n')}`,
    })
    const { stdout } = await agentApps(root, ['check'])
    expect(stdout).toContain('The name "notes" is taken by skills/also.skill.md:2, which comes first')
    expect(stdout).toContain('The name "twice" is taken in line 2 of this file, which comes first')
  })

  it('tells of files that are almost called as skills are', async () => {
    const root = project({
      'skills/near/SKILLS.md': skill('near'),
      'skills/near.skills.md': skill('near'),
      'skills/near.Skill.md': skill('near'),
      'skills/docs/SKILLS.md': '# Our skills\n',
      'skills/notes/SKILLS.md': skill('near'),
      'skills/skills.md.txt': skill('near'),
    })
    const { diagnostics } = JSON.parse((await agentApps(root, ['check', '--json'])).stdout) as {
      diagnostics: { file: string; rule: string; note: string }[]
    }
    expect(diagnostics.map(({ file, rule, note }) => [file, rule, note.replace(/,.*/, '')])).toEqual([
      ['skills/near.Skill.md', 'file-name-near', 'Rename it to near.skill.md'],
      ['skills/near.skills.md', 'file-name-near', 'Rename it to near.skill.md'],
      ['skills/near/SKILLS.md', 'file-name-near', 'Rename it to SKILL.md'],
    ])
  })

  it('--fix changes only the bytes at fault', async () => {
    const root = project(BAD)
    const file = join(root, 'skills/use/SKILL.md')
    const before = readFileSync(file, 'utf8')
    const { stdout, stderr, status } = await agentApps(root, ['check', '--fix'])
    expect([status, stderr]).toEqual([
      0,
      'catalog: 3 tools, about 100 tokens\nfixed skills/use/SKILL.md (colon-in-value)\n',
    ])
    expect(stdout).toMatch(/^fixed 1 place in 1 file; not fixed: none\n/)
    const after = readFileSync(file, 'utf8')
    expect(after.replace(/description: (['"])Use when: always\1/, 'description: Use when: always')).toBe(
      before,
    )
    expect(after).not.toBe(before)
    expect((await agentApps(root, ['check', '--strict'])).status).toBe(0)
  })

  it('--spec gives the specification’s verdict', async () => {
    const root = project({ 'skills/other/SKILL.md': skill('differs') })
    const { stdout, status } = await agentApps(root, ['check', '--spec'])
    expect(status).toBe(1)
    expect(stdout).toMatch(/invalid skills\/other\/SKILL\.md\n/)
    expect(stdout).toMatch(/valid under the specification: 2 of 3 folder skills\n$/)
    const { spec } = JSON.parse((await agentApps(root, ['check', '--spec', '--json'])).stdout) as {
      spec: object[]
    }
    expect(spec).toContainEqual({ file: 'skills/notes/SKILL.md', valid: true, errors: [] })
  })

  it('--spec says what else it fails on', async () => {
    const root = project({ 'skills/bad.skill.js': 'const = 1\n' })
    const { stdout, status } = await agentApps(root, ['check', '--spec'])
    expect(status).toBe(1)
    expect(stdout).toMatch(/^skills\/bad\.skill\.js:1:7 error .*code-syntax/)
    expect(stdout).toMatch(/2 of 2 folder skills, 1 error\n$/)
  })
})

describe('list, describe, render and run', () => {
  it.each([true, false])('say the same compiled (%s)', async isCompiled => {
    const root = project()
    if (isCompiled) await agentApps(root, ['compile'])
    const via = isCompiled ? 'index' : 'disk'
    const listed = JSON.parse((await agentApps(root, ['list', '--json'])).stdout) as object[]
    const notes = {
      name: 'notes',
      description: 'What notes does.',
      kind: 'folder',
      role: 'context',
      directive: [],
      layer: 'project',
      file: 'skills/notes/SKILL.md',
      tags: ['writing', 'team-work'],
      visibility: null,
      via,
      shadows: [{ layer: 'project', file: 'more/notes/SKILL.md' }],
      plugin: null,
      installedFrom: null,
    }
    expect(listed).toEqual([expect.objectContaining({ name: 'count', kind: 'code', role: null, via }), notes])
    expect(JSON.parse((await agentApps(root, ['list', '--json', '--hidden'])).stdout)).toHaveLength(3)
    expect(
      JSON.parse(
        (await agentApps(root, ['list', '--json', '--tag', 'Team Work', '--tag', 'writing'])).stdout,
      ),
    ).toEqual([notes])
    expect(JSON.parse((await agentApps(root, ['describe', 'notes', '--json'])).stdout)).toMatchObject({
      ...notes,
      params: null,
      returns: null,
      content: '# Notes\n\nWrite them.',
      resources: [{ path: 'references/a.txt', size: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    })
    expect(JSON.parse((await agentApps(root, ['describe', 'count', '--json'])).stdout)).toMatchObject({
      params: PARAMS,
      content: null,
    })
    expect((await agentApps(root, ['render', 'notes'])).stdout).toBe('# Notes\n\nWrite them.')
    expect(JSON.parse((await agentApps(root, ['render', 'notes', '--json'])).stdout)).toEqual({
      content: '# Notes\n\nWrite them.',
    })
  })

  it('list says how many are left out since another has the name, compiled or not', async () => {
    const doubles = {
      'skills/also.skill.md': skill('notes', 'Again.\n'),
      'more/twice.skill.md': `${skill('twice', 'Once.\n')}\n${skill('twice', 'Twice.\n')}`,
    }
    const root = project(doubles)
    const before = await agentApps(root, ['list'])
    await agentApps(root, ['compile'])
    const after = await agentApps(root, ['list'])
    for (const { status, stdout, stderr } of [before, after]) {
      expect(status).toBe(0)
      expect(stdout.match(/^\S+/gm)).toEqual(['count', 'notes', 'twice'])
      expect(stderr).toBe(
        '3 tools · 2 in skills, 1 in more\n2 tools left out, since another one in the same directory has the name; `agent-apps check` shows which\n',
      )
    }
    expect((await agentApps(root, ['check'])).stdout.match(/ duplicate-name$/gm)).toHaveLength(2)
    for (const option of ['--json', '--quiet'])
      expect((await agentApps(root, ['list', option])).stderr).toBe('')
  })

  it('list and describe for people', async () => {
    const root = project()
    const { stdout, stderr } = await agentApps(root, ['list'])
    expect(stdout).toMatch(
      /^count {2,}code {2,}- {2,}project {2,}Counts\.\nnotes {2,}folder {2,}context {2,}project {2,}What notes does\. \(shadows 1\)\n$/,
    )
    expect(stderr).toBe('2 tools · 2 in skills\n')
    expect((await agentApps(root, ['list', '--quiet'])).stderr).toBe('')
    expect((await agentApps(root, ['describe', 'notes'])).stdout).toContain('references/a.txt (2 bytes)')
    expect((await agentApps(root, ['list', '--color'])).stdout).toContain('\u001B[')
    expect(
      (await agentApps(root, ['list', '--no-color'], { env: { FORCE_COLOR: '1' } })).stdout,
    ).not.toContain('\u001B[')
  })

  it('list and describe say the role, and what is a directive', async () => {
    const root = codeProject({
      'skills/SKILL.md': skill('office', '', 'metadata: { role: main }\n'),
      'skills/guard.skill.md': skill('guard', '', 'metadata: { role: middleware }\n'),
      'skills/plain.skill.md': skill('plain', ''),
      'skills/stamp/SKILL.md': skill('stamp', '', 'metadata: { tags: [meta-directive-block] }\n'),
    }).root
    const roles = (await agentApps(root, ['list'])).stdout.match(/^\S+ +\w+ +(.*?)(?= +project)/gm)
    expect(roles?.map(line => line.replace(/ {2,}\w+ {2,}/, ': '))).toEqual([
      'guard: middleware',
      'office: main',
      'plain: -',
      'stamp: context, directive',
    ])
    const listed = JSON.parse((await agentApps(root, ['list', '--json'])).stdout) as {
      role: unknown
      directive: unknown
    }[]
    expect(listed.map(({ role, directive }) => [role, directive])).toEqual([
      ['middleware', []],
      ['main', []],
      [null, []],
      ['context', ['block']],
    ])
    expect((await agentApps(root, ['describe', 'stamp'])).stdout).toContain('folder, role context, directive')
  })

  it('list selects by pattern, and says what each tool takes in a catalog', async () => {
    const root = project()
    const names = async (...args: string[]) =>
      (JSON.parse((await agentApps(root, ['list', '--json', ...args])).stdout) as { name: string }[]).map(
        ({ name }) => name,
      )
    expect(await names('--pattern', 'n*')).toEqual(['notes'])
    expect(await names('--pattern', '#team-work', '--pattern', 'count')).toEqual(['count', 'notes'])
    const { stdout, stderr } = await agentApps(root, ['list', '--tokens', '--hidden'])
    expect(stdout).toMatch(/^notes {2,}folder {2,}context {2,}project {2,}\d+ {2}What/m)
    expect(stderr).toMatch(/^3 tools, about \d+ tokens · 3 in skills\n$/)
    const listed = JSON.parse((await agentApps(root, ['list', '--json', '--tokens', '--hidden'])).stdout) as {
      visibility: string | null
      tokens: number
    }[]
    for (const { visibility, tokens } of listed) expect(tokens === 0).toBe(visibility === 'hidden')
  })

  it('list has the library on demand, and where something is selected', async () => {
    const root = project()
    const names = async (...args: string[]) =>
      (JSON.parse((await agentApps(root, ['list', '--json', ...args])).stdout) as { name: string }[]).map(
        ({ name }) => name,
      )
    const library = [
      'agent',
      'agent-discover',
      'context-manager',
      'limit',
      'retry',
      'skill-describe',
      'skill-list',
      'state',
      'timeout',
      'trace',
    ]
    expect(await names('--tag', 'meta-internal', '--hidden')).toEqual(library)
    expect(await names('--pattern', 'skill-*')).toEqual(['skill-describe', 'skill-list'])
    expect(await names('--library')).toEqual(['count', 'notes', ...library])
    expect(await names()).toEqual(['count', 'notes'])
    const described = async (...args: string[]) =>
      (JSON.parse((await agentApps(root, ['catalog', '--json', ...args])).stdout) as { described: string[] })
        .described
    expect(await described('--library')).toEqual([
      ...(await described()),
      'agent-discover',
      'skill-describe',
      'skill-list',
    ])
  })

  it.each(some([true, false]))(
    'catalog prints what a host puts into a prompt, compiled (%s)',
    async isCompiled => {
      const root = project()
      if (isCompiled) await agentApps(root, ['compile'])
      const { status, stdout, stderr } = await agentApps(root, ['catalog'])
      expect(status).toBe(0)
      expect(stdout).toBe(`<available_skills>
  <skill>
    <name>count</name>
    <description>Counts.</description>
  </skill>
  <skill>
    <name>notes</name>
    <description>What notes does.</description>
  </skill>
</available_skills>
`)
      expect(stderr).toMatch(/^2 of 2 tools described, about \d+ tokens\n.*Agents do not get count, .*\n$/)
      const small = await agentApps(root, ['catalog', '--budget', '40', '--format', 'markdown'])
      expect(small.stdout).toBe(
        '## Available skills\n\n- **count**: Counts.\n- **notes**: What notes does.\n',
      )
      const named = await agentApps(root, ['catalog', '--budget', '25', '--names-first'])
      expect(named.stdout).toContain('<also_available>count, notes</also_available>')
      expect(named.stderr).toMatch(
        /^0 of 2 tools described, 2 named, about \d+ tokens\n.*Agents do not get count, .*\n$/,
      )
      expect(JSON.parse((await agentApps(root, ['catalog', '--json', '--location'])).stdout)).toMatchObject({
        described: ['count', 'notes'],
        named: [],
        unnamed: [],
        failed: [],
        text: expect.stringContaining(`<location>${root}/skills/notes/SKILL.md</location>`),
      })
      for (const [args, hint] of [
        [['--budget', 'much'], '--budget 4000'],
        [['--format', 'xlm'], 'Did you mean --format xml?'],
      ] as const) {
        const wrong = await agentApps(root, ['catalog', ...args])
        expect(wrong.status).toBe(2)
        expect(wrong.stderr).toContain(hint)
      }
    },
  )

  it('catalog describes what the words of a user find, behind the others', async () => {
    const cwd = makeTree({
      'skills/bake/SKILL.md':
        '---\nname: bake\ndescription: Bakes.\nmetadata: { catalog: never }\n---\nKnead.\n',
      'skills/write/SKILL.md': '---\nname: write\ndescription: Writes.\n---\nPen.\n',
    })
    const { stdout, stderr } = await agentApps(cwd, ['catalog', '--path', 'skills', '--for', 'Bake a cake'])
    expect(stdout).toMatch(/<name>write<[\s\S]*<\/available_skills>\n<relevant_skills>\n[\s\S]*<name>bake</)
    expect(stderr).toMatch(
      /^1 of 2 tools described, 1 not listed, about \d+ tokens\n1 more found, about \d+ tokens\n/,
    )
  })

  it('run takes arguments from --arg, --args and standard input', async () => {
    const root = project()
    const run = (...args: string[]): Promise<Said> => agentApps(root, ['run', 'count', ...args])
    expect((await run('--arg', 'text=one two three')).stdout).toBe('3\n')
    expect((await run('--args', '{"text": "a b"}')).stdout).toBe('2\n')
    expect(
      JSON.parse(
        (await run('--args', '{"a": 1, "b": 2}', '--arg', 'b=true', '--arg', 'c=x=y', '--json')).stdout,
      ),
    ).toEqual({ a: 1, b: true, c: 'x=y' })
    expect(
      (await agentApps(root, ['run', 'count', '--args', '-'], { input: '{"text": "a b c d"}' })).stdout,
    ).toBe('4\n')
    expect((await agentApps(root, ['run', 'notes'])).stdout).toBe('# Notes\n\nWrite them.\n')
    const missing = await agentApps(root, ['run', 'coutn'])
    expect([missing.status, missing.stdout]).toEqual([1, ''])
    expect(missing.stderr).toContain('Did you mean "count"?')
  })

  it.each(some(['compiled', 'from disk']))(
    'run takes for a text what can be nothing else (%s)',
    async way => {
      const params = {
        type: 'object',
        properties: { a: { type: 'string' }, n: { type: 'number' }, both: { type: ['string', 'number'] } },
      }
      const root = project({
        'skills/give.skill.js': `export const frontmatter = { name: 'give', description: 'x', metadata: { params: ${JSON.stringify(params)} } }\nexport default (ctx, args) => args\n`,
        'skills/say.skill.md': skill(
          'say',
          '${args.a}\n',
          `metadata:\n  interpolate: true\n  params: ${JSON.stringify(params)}\n`,
        ),
      })
      if (way === 'compiled') await agentApps(root, ['compile'])
      const given = async (...pairs: string[]): Promise<unknown> =>
        JSON.parse((await agentApps(root, ['run', 'give', ...pairs.flatMap(pair => ['--arg', pair])])).stdout)
      expect(await given('a=1', 'n=2', 'both=3')).toEqual({ a: '1', n: 2, both: 3 })
      expect(await given('a=1.0')).toEqual({ a: '1.0' })
      expect(await given('a="1"')).toEqual({ a: '1' })
      expect((await agentApps(root, ['render', 'say', '--arg', 'a=7.0'])).stdout).toBe('7.0\n')
      expect((await agentApps(root, ['render', 'say', '--arg', 'a=true'])).stdout).toBe('true\n')
      expect((await agentApps(root, ['run', 'give', '--args', '{"a": 1}'])).stderr).toContain(
        'a must be a string, not 1',
      )
    },
  )

  it('options may stand before the command', async () => {
    const root = project()
    const expected = (await agentApps(root, ['list', '--json'])).stdout
    for (const args of [
      ['--json', 'list'],
      ['--json', '--cwd', root, 'list'],
      [`--cwd=${root}`, '--json', 'list'],
    ])
      expect((await agentApps(args.length > 2 ? temporary() : root, args)).stdout).toBe(expected)
    expect((await agentApps(root, ['--cwd', root, '--help'])).stdout).toContain('Usage: agent-apps <command>')
    expect((await agentApps(root, ['--json', 'list', '--help'])).stdout).toContain('Usage: agent-apps list')
  })

  it('run prints what JSON cannot say, and with --json says that it cannot', async () => {
    const results: Record<string, [code: string, shown: RegExp]> = {
      big: ['10n', /^10n\n$/],
      deep: ['({ list: [10n] })', /^\{ list: \[ 10n \] \}\n$/],
      circle: ['(() => { const a = { b: 1 }; a.a = a; return a })()', /\[Circular \*1\]/],
      method: ['() => 1', /^\[Function/],
    }
    const root = project(
      Object.fromEntries(
        Object.entries(results).map(([name, [code]]) => [
          `skills/${name}.skill.js`,
          `export const frontmatter = { name: '${name}', description: 'x' }\nexport default () => ${code.startsWith('()') ? `(${code})` : code}\n`,
        ]),
      ),
    )
    for (const [name, [, shown]] of Object.entries(results)) {
      const told = await agentApps(root, ['run', name])
      expect([told.status, told.stderr]).toEqual([0, ''])
      expect(told.stdout).toMatch(shown)
      const json = await agentApps(root, ['run', name, '--json'])
      expect(json.status).toBe(1)
      expect(JSON.parse(json.stdout)).toMatchObject({ error: 'RESULT_NOT_JSON', tool: name })
    }
  })

  it.each(some(['compiled', 'from disk']))(
    'what a tool throws is told with its own file and line (%s)',
    { tags: 'long' },
    async way => {
      const root = project({
        'skills/fails.skill.ts': `interface Unused { a: string }\n\nexport const frontmatter = { name: 'fails', description: 'x' }\nexport default function fails(): never {\n  throw new Error('No luck.')\n}\n`,
      })
      if (way === 'compiled') await agentApps(root, ['compile'])
      const { status, stderr } = spawnAgentApps(root, ['run', 'fails'])
      expect(status).toBe(1)
      expect(stderr).toMatch(/Error: No luck\.\n.*skills\/fails\.skill\.ts:5:9/)
    },
  )

  it('run names the package that code left to the host imports', async () => {
    const cwd = codeProject({
      'skills/far.skill.js': `export const frontmatter = { name: 'far', description: 'Imports.' }
export default () => import('@far/away/deep')\n`,
    }).root
    await agentApps(cwd, ['compile', '--external', '@far/away'])
    const { stderr, status } = await agentApps(cwd, ['run', 'far'])
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/\(MODULE_MISSING\)\n {2}Install it: `npm install @far\/away`\.\n$/),
    ])
  })

  it.each(some(['compiled', 'from disk']))(
    'what a tool prints does not stand in the result (%s)',
    { tags: 'long' },
    async way => {
      const root = project({
        'skills/noisy.skill.js': `export const frontmatter = { name: 'noisy', description: 'x' }
export default async () => {
  console.log('one')
  console.info('two')
  const { Readable } = await import('node:stream')
  await new Promise(done => Readable.from(['three\\n', '.'.repeat(100_000)]).on('end', done).pipe(process.stdout))
  return { a: 1 }
}\n`,
        'skills/shout.skill.js': `console.log('imported')\nexport const frontmatter = { name: 'shout', description: 'x', metadata: { tags: ['meta-directive-inline'] } }
export default () => { console.log('four'); return 'said' }\n`,
        'skills/say.skill.md': skill('say', 'It is :shout[].\n'),
      })
      if (way === 'compiled') await agentApps(root, ['compile'])
      const { status, stdout, stderr } = spawnAgentApps(root, ['run', 'noisy', '--json'])
      expect([status, JSON.parse(stdout)]).toEqual([0, { a: 1 }])
      expect(stderr).toMatch(/^one\ntwo\nthree\n\.{100000}$/)
      if (!isLong) return
      expect(spawnAgentApps(root, ['run', 'noisy']).stdout).toBe('{\n  "a": 1\n}\n')
      const rendered = spawnAgentApps(root, ['render', 'say'])
      expect([rendered.stdout, rendered.stderr]).toEqual(['It is said.\n', expect.stringContaining('four\n')])
    },
  )

  it.each(some(['compiled', 'from disk']))('what a tool throws is JSON with --json (%s)', async way => {
    const root = project({
      'skills/fails.skill.js': `export const frontmatter = { name: 'fails', description: 'x', metadata: { params: ${JSON.stringify({ type: 'object', properties: { what: {} } })} } }
export default (ctx, args) => {
  if (args?.what === 'text') throw 'No text.'
  if (args?.what === 'system') throw Object.assign(new Error('Gone'), { code: 'ENOENT' })
  throw new TypeError('No luck.')
}\n`,
    })
    if (way === 'compiled') await agentApps(root, ['compile'])
    const parsed = ({ status, stdout, stderr }: Said): unknown => {
      expect([status, stderr]).toEqual([1, ''])
      return JSON.parse(stdout)
    }
    const command = ['run', 'fails', '--json']
    const thrown = async (...args: string[]) => parsed(await agentApps(root, [...command, ...args]))
    const hint = expect.stringContaining('--verbose')
    expect(await thrown()).toEqual({ error: 'TypeError', message: 'No luck.', hint })
    expect(await thrown('--arg', 'what=system')).toEqual({ error: 'ENOENT', message: 'Gone', hint })
    expect(await thrown('--arg', 'what=text')).toEqual({ error: 'Error', message: 'No text.', hint })
    if (!isLong) return
    expect(parsed(spawnAgentApps(root, [...command, '--verbose']))).toMatchObject({
      stack: expect.stringMatching(/^TypeError: No luck\.\n.*skills\/fails\.skill\.js:5:9/),
    })
    const { stderr } = spawnAgentApps(root, ['run', 'fails'])
    expect(stderr).toMatch(/^TypeError: No luck\.\n(?: +at .*skills\/fails\.skill\.js:5:9\)?\n)$/)
    expect(spawnAgentApps(root, ['run', 'fails', '--verbose']).stderr).toContain('dist/cli')
  })

  it.each(['compiled', 'from disk'])(
    'errors name a place from here, and in JSON from --cwd (%s)',
    { tags: 'long' },
    async way => {
      const root = codeProject({
        'skills/broken.skill.ts': 'export default (\n',
        'skills/a/directive.skill.md': skill('directive', ':skill[nosuch]\n'),
        'skills/middleware.skill.md': skill('middleware', '', 'metadata:\n  timeout: soon\n'),
        'skills/cascade.skill.md': skill('cascade', '', 'metadata:\n  $inherit: nosuch\n'),
        'skills/schema.skill.md': skill('schema', '', 'metadata:\n  params: { type: strang }\n'),
      }).root
      if (way === 'compiled') await agentApps(root, ['compile'])
      const places = {
        broken: 'skills/broken.skill.ts:2:1',
        directive: 'skills/a/directive.skill.md:5:1',
        middleware: 'skills/middleware.skill.md:5:3',
        cascade: 'skills/cascade.skill.md:5:3',
        schema: 'skills/schema.skill.md:5:3',
      }
      for (const [name, place] of Object.entries(places)) {
        const inStderr = async (cwd: string, ...args: string[]): Promise<string[]> =>
          (await agentApps(cwd, ['run', name, ...args])).stderr.match(/\S+\.skill\.\w+:\d+:\d+/g) ?? []
        expect(await inStderr(root), name).toEqual([place])
        expect(await inStderr(join(root, 'skills'), '--cwd', '..'), name).toEqual([
          place.replace('skills/', ''),
        ])
        const json = JSON.parse(
          (await agentApps(join(root, 'skills'), ['run', name, '--cwd', '..', '--json'])).stdout,
        )
        expect(`${json.file}:${json.position.line}:${json.position.column}`).toBe(place)
        expect(json.message).not.toContain(root)
      }
      const { file, message } = JSON.parse((await agentApps(root, ['check', 'nosuch', '--json'])).stdout)
      expect([file, message]).toEqual(['nosuch', 'There is no directory nosuch.'])
    },
  )

  it('describe, explain and doctor name files from here', async () => {
    const root = project({
      'skills/slow.skill.md': skill('slow', '', 'metadata:\n  timeout: 5\n'),
    })
    const said = async (...args: string[]): Promise<string> =>
      (await agentApps(join(root, 'more'), [...args, '--cwd', '..'])).stdout
    expect(await said('describe', 'slow')).toContain(' ../skills/slow.skill.md (')
    expect(await said('explain', 'slow')).toContain('own, ../skills/slow.skill.md:5')
    expect(JSON.parse(await said('explain', 'slow', '--json'))).toMatchObject({
      metadata: { timeout: { file: 'skills/slow.skill.md' } },
    })
    expect(await said('doctor')).toMatch(/ \.\.\/agent-apps\.config\.json\n.* \.\.\/skills: 4 skill files/s)
    expect(await said('doctor', '--json')).toContain('"skills: 4 skill files, not compiled"')
    expect(await said('compile')).toContain('in 2 directories')
    expect(await said('compile', 'skills')).toContain('.agent-apps.json in ../skills\n')
  })

  it('control characters of a skill do no harm', async () => {
    const root = project({
      'skills/evil/SKILL.md':
        '---\nname: evil\ndescription: "a\\e[2Jb\\rc\\u202Ed\\ne"\nmetadata: { author: "\\e]0;x\\a" }\n---\nText \u001B[31m.\n',
    })
    for (const args of [
      ['list'],
      ['describe', 'evil'],
      ['check', '--verbose'],
      ['compile', '--verbose'],
      ['doctor'],
    ]) {
      const { stdout, stderr } = await agentApps(root, args)
      expect(stdout + stderr, args.join(' ')).not.toMatch(
        /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E]/,
      )
    }
    expect((await agentApps(root, ['render', 'evil'])).stdout).toBe('Text \u001B[31m.\n')
  })

  it('a tool that left timers running does not keep the command from ending', { tags: 'long' }, () => {
    const frontmatter = (name: string, more = ''): string =>
      `export const frontmatter = { name: '${name}', description: 'Goes on.'${more} }\n`
    const forever = 'const again = () => setTimeout(again, 20)\nexport default () => '
    const { root } = codeProject({
      'skills/late.skill.js': `${frontmatter('late', ', metadata: { timeout: 300 }')}${forever}new Promise(again)\n`,
      'skills/left.skill.js': `${frontmatter('left')}${forever}{ again(); return 'x'.repeat(1_000_000) }\n`,
    })
    const run = (name: string): SpawnSyncReturns<string> =>
      spawnSync(process.execPath, [COMMAND, 'run', name, '--cwd', root], {
        encoding: 'utf8',
        timeout: 20_000,
      })
    if (isLong) {
      const late = run('late')
      expect([late.status, late.stderr]).toEqual([1, expect.stringContaining('TOOL_TIMEOUT')])
    }
    const left = run('left')
    expect([left.status, left.stdout.length]).toEqual([0, 1_000_001])
  })

  it('a reader that has seen enough is not a fault', { tags: 'long' }, async () => {
    const many = Object.fromEntries(
      Array.from({ length: 800 }, (_, index) => [`skills/s${index}.skill.md`, skill(`s${index}`)]),
    )
    const child = spawn(process.execPath, [COMMAND, 'list', '--json', '--cwd', project(many)])
    let errors = ''
    child.stderr.on('data', (text: Buffer) => {
      errors += text.toString()
    })
    child.stdout.once('data', () => child.stdout.destroy())
    const status = await new Promise(done => child.on('close', done))
    expect([status, errors]).toEqual([0, ''])
  })
})

describe('init and doctor', () => {
  it('init makes a project that compiles, and keeps what is there', async () => {
    const root = makeTree({ 'package.json': '{\n    "name": "mine",\n    "scripts": { "test": "x" }\n}\n' })
    const first = await agentApps(root, ['init'])
    expect(first.status).toBe(0)
    expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).toEqual({
      name: 'mine',
      scripts: { test: 'x', skills: 'agent-apps compile' },
    })
    expect((await agentApps(root, ['compile', '--strict'])).status).toBe(0)
    const before = snapshot(root)
    const { made, kept } = JSON.parse((await agentApps(root, ['init', '--json'])).stdout) as {
      made: string[]
      kept: string[]
    }
    expect([made, kept.length > 2]).toEqual([[], true])
    expect(snapshot(root)).toEqual(before)
  })

  it('init writes the directories that are searched, and no examples beside what is there', async () => {
    const root = makeTree({
      '.claude/skills/mine/SKILL.md': skill('mine'),
      '.agents/skills/readme.txt': '',
    })
    const list = async (): Promise<string[]> =>
      (JSON.parse((await agentApps(root, ['list', '--json'])).stdout) as { name: string }[]).map(
        ({ name }) => name,
      )
    const { stdout, stderr } = await agentApps(root, ['init'])
    expect(stdout).toBe('made agent-apps.config.json\n')
    expect(stderr).toContain('No examples: 1 skill file found in .agents/skills, .claude/skills.')
    expect(JSON.parse(readFileSync(join(root, 'agent-apps.config.json'), 'utf8'))).toEqual({
      $schema: './node_modules/agent-apps/schema/config.json',
      paths: ['./.agents/skills', './.claude/skills'],
    })
    expect(await list()).toEqual(['mine'])
    expect(existsSync(join(root, 'skills'))).toBe(false)
    expect((await agentApps(root, ['compile', '--strict'])).status).toBe(0)
  })

  it('a configuration that is not JSON is named with the place', async () => {
    const root = makeTree({ 'agent-apps.config.json': '{\n  "paths": ["./skills"],\n}\n' })
    const { stderr, status } = await agentApps(root, ['check'])
    expect([status, stderr.split('\n')[0]]).toEqual([
      1,
      'error The configuration agent-apps.config.json:3:1 is not JSON here: property name expected. (CONFIG_INVALID)',
    ])
  })

  it('init names the directory itself in words', async () => {
    const root = makeTree({ 'SKILL.md': skill('whole') })
    expect((await agentApps(root, ['init'])).stderr).toContain('1 skill file found in this directory.\n')
  })

  it('init makes examples beside directories without skills, which stay searched', async () => {
    const root = makeTree({ '.claude/skills/readme.txt': '' })
    await agentApps(root, ['init'])
    expect(JSON.parse(readFileSync(join(root, 'agent-apps.config.json'), 'utf8'))).toEqual({
      $schema: './node_modules/agent-apps/schema/config.json',
      paths: ['./skills', './.claude/skills'],
    })
    expect((await agentApps(root, ['compile', '--strict'])).status).toBe(0)
  })

  it('init keeps the configuration that counts, wherever it stands', async () => {
    const root = makeTree(PROJECT)
    const before = snapshot(root)
    expect((await agentApps(join(root, 'more'), ['init'])).stdout).toBe('kept ../agent-apps.config.json\n')
    expect((await agentApps(root, ['init'])).stdout).toBe('kept agent-apps.config.json\n')
    expect(snapshot(root)).toEqual(before)
  })

  it('doctor counts the tools that list lists', async () => {
    const root = project({ 'skills/gone.skill.md': skill('gone') })
    const resolution = async (): Promise<string | undefined> =>
      /resolution +(.*)/.exec((await agentApps(root, ['doctor'])).stdout)?.[1]
    await agentApps(root, ['compile'])
    expect(await resolution()).toBe('4 tools, 4 from an index, 0 from disk; 1 shadow others')
    rmSync(join(root, 'skills/gone.skill.md'))
    expect(await resolution()).toBe('3 tools, 3 from an index, 0 from disk; 1 shadow others')
  })

  it('doctor counts skill files that another path entry shadows', async () => {
    const root = makeTree({
      'agent-apps.config.json': '{ "paths": ["./first", "./second"] }',
      'first/one/SKILL.md': skill('one'),
      'second/one/SKILL.md': skill('one'),
    })
    await agentApps(root, ['compile'])
    expect((await agentApps(root, ['doctor'])).stdout).toContain('second: 1 skill file, up to date')
  })

  it('init without a package.json makes none', async () => {
    const root = temporary()
    expect((await agentApps(root, ['init'])).stderr).toContain('npx agent-apps compile')
    expect(existsSync(join(root, 'package.json'))).toBe(false)
  })

  it('doctor says what is good and what is not', async () => {
    const root = project()
    const states = async (): Promise<Record<string, string>> => {
      const { stdout, status } = await agentApps(root, ['doctor', '--json'])
      const findings = JSON.parse(stdout) as { subject: string; state: string }[]
      expect(status).toBe(findings.some(({ state }) => state === 'problem') ? 1 : 0)
      return Object.fromEntries(findings.map(({ subject, state }) => [subject, state]))
    }
    expect(await states()).toMatchObject({ configuration: 'ok', index: 'problem' })
    await agentApps(root, ['compile'])
    expect(await states()).toEqual({
      ...{ versions: 'ok', configuration: 'ok', index: 'ok', resolution: 'ok' },
      trust: 'note',
    })
    writeFileSync(join(root, 'skills/bad.skill.js'), 'const = 1\n')
    await agentApps(root, ['compile'])
    expect(await states()).toMatchObject({ index: 'ok', skills: 'problem' })
    const { stdout } = await agentApps(root, ['doctor'])
    expect(stdout).toMatch(/1 error in skill files\n +Run `agent-apps compile --check`/)
    expect((await agentApps(root, ['compile', '--check'])).stderr).toContain('code-syntax')
    writeFileSync(join(root, 'agent-apps.config.json'), '{ "paths": ["./absent"] }')
    expect(await states()).toMatchObject({ path: 'problem' })
    writeFileSync(join(root, 'agent-apps.config.json'), '{ "paths": 1 }')
    expect(await states()).toMatchObject({ project: 'problem' })
    expect((await agentApps(temporary(), ['doctor'])).status).toBe(1)
  })
})
