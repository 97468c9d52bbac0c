import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Diagnostic } from 'agent-apps'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RULES } from '../../compiler/diagnostics/diagnostics.js'
import { installInto } from '../support/code-project.js'
import { agentApps } from '../support/commands.js'
import { isLong, oneIn } from '../support/long.js'
import { asOrdinaryUser, readableRoot } from '../support/ordinary-user.js'

const ROOT = readableRoot()
const { createRuntime }: typeof import('agent-apps') = await import(join(ROOT, 'dist/runtime/agent-apps.js'))
const { check, compile }: typeof import('agent-apps/compiler') = await import(
  join(ROOT, 'dist/compiler/index.js')
)

/** The rules that only the runtime reports. */
const RUNTIME_RULES = [
  'definition-fails',
  'hook-fails',
  'index-refused',
  'index-stale',
  'init-fails',
  'listener-throws',
  'path-missing',
  'permission-missing',
  'project-untrusted',
  'remote-left-out',
  'search-cut',
]

/** The rules that only `agent-apps eval` reports. */
const EVAL_RULES = ['trigger-missed', 'trigger-unknown', 'trigger-unreadable', 'trigger-wrong']

/** The rules that only compiling reports, which bundles code and runs it. */
const COMPILE_RULES = ['code-exits', 'code-hangs', 'code-import', 'code-throws', 'schema-unsupported']

/** The rules that only `check --spec` reports. */
const SPEC_RULES = ['metadata-not-string']

/** The rules of a repository, whose skills are to be found. */
const REPOSITORY_RULES = ['paths-guessed', 'skills-elsewhere']

/** The rules of path entries whose folders are namespaces. */
const FOLDER_RULES = ['namespace-invalid']

/** The paths of rules that compare directories. */
const PATHS: Record<string, string[]> = { 'shadows-guarded': ['mine', 'theirs'] }

/** The rules that only bundling reports. */
const BUNDLE_RULES = ['package-place']

const SKILL = skill('name: review\ndescription: Reviews a change.')

/** What a rule needs that text files cannot say; each does what its section's commands do. */
const SETUPS: Record<string, (root: string) => void> = {
  'chain-too-large': root => {
    const names = Array.from({ length: 11 }, (_, number) => `m${number + 1}`)
    const skills = names.map((name, index) => {
      const after = names.slice(index + 1).map(one => `  ${one}: true\n`)
      return `---\nname: ${name}\ndescription: A middleware.\nmetadata:\n  role: middleware\n${after.join('')}---\n\n`
    })
    write(root, 'middleware.skill.md', skills.join(''))
  },
  'description-length': root =>
    write(root, 'review/SKILL.md', skill(`name: review\ndescription: ${'a'.repeat(1025)}`)),
  'description-vague': root => {
    for (const number of Array.from({ length: 20 }, (_, at) => at))
      write(
        root,
        `other-${number}/SKILL.md`,
        skill(`name: other-${number}\ndescription: Helps with projects, and with ${number}.`),
      )
  },
  'file-too-large': root => write(root, 'large.skill.md', 'a'.repeat(1024 * 1024 + 1)),
  'file-unreadable': root => {
    write(root, 'secret.skill.md', '')
    chmodSync(join(root, 'secret.skill.md'), 0)
  },
  'frontmatter-too-large': root => {
    const notes = 'a'.repeat(64 * 1024)
    write(
      root,
      'review/SKILL.md',
      skill(`name: review\ndescription: Reviews a change.\nmetadata:\n  notes: ${notes}`),
    )
  },
  'hidden-character': root => write(root, 'review/SKILL.md', `${SKILL}Look\u200B at it.\n`),
  'index-stale': () => {},
  'invalid-utf8': root =>
    write(root, 'review/SKILL.md', Buffer.from(skill('name: review\ndescription: Caf\xe9.'), 'latin1')),
  'link-broken': root => {
    write(root, 'review/SKILL.md', SKILL)
    symlinkSync('../elsewhere.md', join(root, 'review/guide.md'))
  },
  'link-escapes': root => {
    write(root, 'review/SKILL.md', SKILL)
    write(root, 'private.md', 'Not for skills.\n')
    symlinkSync('../private.md', join(root, 'review/guide.md'))
  },
  'link-not-followed': root => {
    mkdirSync(join(root, '../elsewhere/notes'), { recursive: true })
    symlinkSync('../elsewhere', join(root, 'linked'))
  },
  'nul-byte': root => write(root, 'review/SKILL.md', `${SKILL}\0`),
  'path-missing': () => {},
  'remote-left-out': () => {},
  'search-cut': () => {},
  'path-unportable': root => write(root, 'a\\b.skill.md', SKILL),
  'resource-unreadable': root => {
    write(root, 'review/SKILL.md', SKILL)
    write(root, 'review/notes.txt', '')
    chmodSync(join(root, 'review/notes.txt'), 0)
  },
  'walk-limit': root => void mkdirSync(join(root, 'a/'.repeat(65)), { recursive: true }),
  'yaml-too-many-keys': root => {
    const keys = Array.from({ length: 1000 }, (_, number) => `  key-${number + 1}: 1`).join('\n')
    write(root, 'review/SKILL.md', skill(`name: review\ndescription: Reviews a change.\nmetadata:\n${keys}`))
  },
}

interface Section {
  rule: string
  /** The line under the heading: how bad it is, and whether the skill loads. */
  status: string
  files: { path: string; text: string }[]
  /** What the page says `check`, or else `compile`, prints. */
  message: string
  hasCommands: boolean
}

const SECTIONS: Section[] = readFileSync(new URL('../../docs/rules.md', import.meta.url), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map(text => ({
    rule: text.slice(0, text.indexOf('\n')),
    status: /^\*(.*)\*$/m.exec(text)?.[1] ?? '',
    files: [...text.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', example = '']) => ({
      path,
      text: example,
    })),
    message: /^> `(.*?)` (.*)$/m.exec(text)?.slice(1).join(' ') ?? '',
    hasCommands: /^```sh$/m.test(text),
  }))

let parent: string
let root: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'agent-apps-rules-'))
  root = join(parent, 'skills')
  mkdirSync(root)
  installInto(parent)
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

describe('docs/rules.md', () => {
  it('has a section for each rule, sorted', () => {
    const rules = [...Object.keys(RULES), ...RUNTIME_RULES, ...EVAL_RULES].sort()
    expect(SECTIONS.map(({ rule }) => rule)).toEqual(rules)
  })

  it('has an example in each section', () => {
    for (const { rule, files, hasCommands } of SECTIONS) {
      expect(hasCommands, `${rule}: commands need a setup here, and a setup commands there`).toBe(
        rule in SETUPS,
      )
      expect(files.length > 0 || hasCommands, `${rule} has no example`).toBe(true)
    }
  })

  // A module that hangs takes five seconds, which the tests of code have to wait for.
  const compiled = SECTIONS.filter(({ rule }) => ![...RUNTIME_RULES, ...EVAL_RULES].includes(rule))
  it.each(
    oneIn(
      6,
      compiled.filter(({ rule }) => isLong || rule !== 'code-hangs'),
    ),
  )('tells the truth about $rule', async section => {
    makeExample(section)
    const isRepository = REPOSITORY_RULES.includes(section.rule)
    const isFolder = FOLDER_RULES.includes(section.rule)
    const entry = {
      dir: '.',
      ...(isRepository && { discover: true }),
      ...(isFolder && { namespace: 'folder' }),
    }
    const options = { cwd: root, paths: PATHS[section.rule] ?? [entry] }
    const bundle = BUNDLE_RULES.includes(section.rule) ? '../dist/agent.mjs' : undefined
    const { diagnostics, counts } =
      bundle || COMPILE_RULES.includes(section.rule)
        ? await compile({ ...options, bundle })
        : await asOrdinaryUser(parent, () => check({ ...options, spec: SPEC_RULES.includes(section.rule) }))
    const found = diagnostics.find(({ ruleId }) => ruleId === section.rule)
    expect(found, `the example does not break ${section.rule}`).toBeDefined()
    expect(statusOf(found?.severity ?? '', found?.fatal === true)).toBe(section.status)
    expect(`${found?.name} ${found?.reason}`).toBe(section.message)
    expect(counts.found + counts.shadowed + counts.skipped).toBe(counts.files)
  })

  it('tells the truth about index-refused', async () => {
    const section = sectionOf('index-refused')
    makeExample(section)
    const runtime = createRuntime({ paths: ['.'], cwd: root })
    expect((await runtime.findTool('review'))?.origin.via).toBe('disk')
    expectDiagnostic(runtime.diagnostics(), section)
  })

  it('tells the truth about index-stale', async () => {
    const section = sectionOf('index-stale')
    write(root, 'review/SKILL.md', SKILL)
    await compile({ cwd: root, paths: ['.'] })
    appendFileSync(join(root, 'review/SKILL.md'), 'One more line.\n')
    const runtime = createRuntime({ paths: ['.'], cwd: root, freshness: 'trust' })
    expect(await runtime.render('review')).toBe('One more line.\n')
    expectDiagnostic(runtime.diagnostics(), section)
  })

  it('tells the truth about search-cut', async () => {
    const section = sectionOf('search-cut')
    for (let n = 1; n <= 170; n++) {
      const folder = join(root, `skills/group-${n}/skill-${n}`)
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'SKILL.md'), skill(`name: skill-${n}\ndescription: Does something.`))
    }
    await compile({ cwd: root, paths: ['skills'] })
    const runtime = createRuntime({ cwd: root, paths: ['skills'], freshness: 'trust' })
    expect(await runtime.findTool('late')).toBeNull()
    expectDiagnostic(runtime.diagnostics(), section)
  })

  it('tells the truth about remote-left-out', async () => {
    const integrity = `sha256-${'0'.repeat(64)}`
    const runtime = createRuntime({ paths: [{ url: 'http://127.0.0.1:2/', integrity }] })
    expect(await runtime.search('review')).toEqual([])
    expectDiagnostic(runtime.diagnostics(), sectionOf('remote-left-out'))
  })

  it('tells the truth about path-missing', async () => {
    const section = sectionOf('path-missing')
    const runtime = createRuntime({ paths: ['./skils'], cwd: root })
    expect(await runtime.findTool('review')).toBeNull()
    expectDiagnostic(runtime.diagnostics(), section)
    await runtime.listTools()
    expect(runtime.diagnostics()).toHaveLength(1)
  })
})

describe('docs/rules.md on check and compile', () => {
  it.each(EVAL_RULES)('tells the truth about %s, which eval reports', async rule => {
    makeExample(sectionOf(rule))
    const { stdout } = await agentApps(root, ['eval', '.', '--json'])
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] }
    const shown = diagnostics.map(({ file, line, column, reason }) => `${file}:${line}:${column} ${reason}`)
    expect(shown).toEqual([sectionOf(rule).message])
    expect(diagnostics[0]).toMatchObject({ rule, severity: 'warning' })
  })

  it.each([...COMPILE_RULES, ...BUNDLE_RULES, ...SPEC_RULES])(
    'tells that check does not report %s',
    async rule => {
      makeExample(sectionOf(rule))
      const { diagnostics } = await check({ cwd: root, paths: ['.'] })
      // A schema that only running the file makes is known to be one.
      expect(diagnostics.filter(({ ruleId }) => ruleId !== 'metadata-dynamic')).toEqual([])
    },
  )

  it.each(BUNDLE_RULES)('tells that compile without a bundle does not report %s', async rule => {
    makeExample(sectionOf(rule))
    expect((await compile({ cwd: root, paths: ['.'] })).diagnostics).toEqual([])
  })

  it('tells that compile does not report metadata-dynamic', async () => {
    makeExample(sectionOf('metadata-dynamic'))
    expect((await compile({ cwd: root, paths: ['.'] })).diagnostics).toEqual([])
  })
})

function expectDiagnostic(
  diagnostics: ReturnType<ReturnType<typeof createRuntime>['diagnostics']>,
  section: Section,
) {
  const found = diagnostics.find(({ rule }) => rule === section.rule)
  expect(statusOf(found?.severity ?? '', found?.fatal === true)).toBe(section.status)
  const shown = found?.file.startsWith(root) ? found.file.slice(root.length + 1) : found?.file
  expect(`${shown}:${found?.line}:${found?.column} ${found?.reason}`).toBe(section.message)
}

function statusOf(severity: string, fatal: boolean): string {
  const word = severity.charAt(0).toUpperCase() + severity.slice(1)
  return `${word}. The skill ${fatal ? 'does not load' : 'loads'}.`
}

function sectionOf(name: string): Section {
  const section = SECTIONS.find(({ rule }) => rule === name)
  if (section === undefined) throw new Error(`docs/rules.md has no section ${name}`)
  return section
}

function makeExample({ rule, files }: Section): void {
  for (const { path, text } of files) write(root, path, text)
  SETUPS[rule]?.(root)
}

function skill(frontmatter: string): string {
  return `---\n${frontmatter}\n---\n`
}

function write(directory: string, path: string, text: string | Buffer): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}
