import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type * as ParseFile from '../../compiler/1-read/markdown/parse-file.js'
import type * as ReadSkills from '../../compiler/1-read/read-skills.js'
import { LineStore } from '../../compiler/index/line-store.js'
import { encodeTools } from '../../compiler/records/encode-tools.js'
import { WHOLE } from '../../compiler/records/unit.js'
import type { WalkedSkill } from '../../compiler/records/walked.js'
import { corpus } from '../support/corpus.js'
import { times } from '../support/long.js'
import { pick, type Random, randomFrom } from '../support/policy-model.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'

type Reader = Pick<typeof ParseFile & typeof ReadSkills, 'parseFile' | 'unitOf'>

const ROUNDS = times(1_000, 100_000)

/** The compiler's reader of skill files, with its short ways or without them. */
async function reader(hasShortWays: boolean): Promise<Reader> {
  vi.resetModules()
  if (!hasShortWays) {
    // Every frontmatter goes to the parser, and every file is decoded as UTF-8.
    vi.doMock('../../compiler/1-read/frontmatter/plain-yaml.js', () => ({ readPlainYaml: () => null }))
    vi.doMock('node:buffer', async original => ({ ...(await original<object>()), isAscii: () => false }))
  }
  const { parseFile } = await import('../../compiler/1-read/markdown/parse-file.js')
  const { unitOf } = await import('../../compiler/1-read/read-skills.js')
  vi.doUnmock('../../compiler/1-read/frontmatter/plain-yaml.js')
  vi.doUnmock('node:buffer')
  return { parseFile, unitOf }
}

const short = await reader(true)
const long = await reader(false)
const root = temporary()

/** All that an index and a cache get from a skill file: its lines in the index, and the facts beside them. */
function compiled({ parseFile, unitOf }: Reader, bytes: Buffer, path: string): unknown {
  const kind = basename(path) === 'SKILL.md' ? 'folder' : 'file'
  const folderName = basename(dirname(path))
  const source = { path, kind, folderName, atRoot: false } as const
  const stat = { size: bytes.length, mtimeMs: 0, ctimeMs: 0, ino: 0 }
  const skill: WalkedSkill = { ...source, ...stat, root, resources: [], findings: [], unit: WHOLE }
  const unit = unitOf(skill, parseFile(bytes, source), [])
  const store = new LineStore()
  encodeTools(unit, join(root, path), store, null)
  const tools = unit.tools.map(({ fresh, lines, ...facts }) => {
    const encoded = lines && [lines.record, lines.details].map(line => store.bytes(line).toString())
    return JSON.stringify([facts, encoded ?? fresh])
  })
  return { ...unit, tools }
}

function expectSame(bytes: Buffer, path: string): void {
  const [one, other] = [compiled(short, bytes, path), compiled(long, bytes, path)]
  if (JSON.stringify(one) !== JSON.stringify(other)) expect(one).toEqual(other)
}

function skillFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
    /(?:^|\/)SKILL\.md$|\.skill\.md$/.test(file),
  )
}

const PIECES = [
  ...[
    'Text of a skill.',
    '# A heading',
    'é — 😀',
    '\u200B',
    '[a](scripts/a.py)',
    '[b]: guide.md',
    '`[c](d)`',
  ],
  ...[
    '$ARGUMENTS',
    '$' + '{CLAUDE_SKILL_DIR}',
    '!`ls`',
    ':note[a]{b=1}',
    '::include{file=a.md}',
    ':::note',
    '10:30',
  ],
  ...['```', '<!-- c -->', '---', '---\nname: other\n---', '\r', '\t', '', '', ''],
]
const FIELDS = [
  ...[
    'name: a',
    'name: b',
    'name: A b',
    'name: "a"',
    'name: 12',
    'name:',
    'description: Use it for é, or so.',
  ],
  ...[
    'description: Use it.',
    'description: a: b',
    'description: a # b',
    'description: >\n  Long\n  text',
    '# comment',
  ],
  ...[
    '# agent-apps-ignore unknown-field',
    'license: MIT',
    'license: 1.0',
    'compatibility: Node',
    'color: red',
  ],
  ...[
    'allowed-tools: Read, Write',
    'allowed-tools: [Read, b]',
    'tags: [a, b]',
    'triggers:\n  - do it\n  - now',
  ],
  ...[
    'metadata:\n  version: 1.2.3\n  tags: [meta-x, API]',
    'metadata:\n  timeout: 5\n  nested:\n    a: $ARGUMENTS',
  ],
  ...[
    "metadata:\n  agent-apps: '{ tags: [a], role: main }'",
    'metadata:\n  delegate: "./b"',
    'metadata: text',
  ],
  ...[
    'metadata:\n  role: midleware',
    'metadata:\n  params:\n    type: object',
    'metadata:\n  visibility: hidden',
  ],
]

function randomSkill(random: Random): string {
  const lines = (all: readonly string[], most: number): string =>
    Array.from({ length: Math.floor(random() * most) }, () => `${pick(random, all)}\n`).join('')
  const first = random() < 0.9 ? 'name: a\ndescription: Use it.\n' : ''
  return `${pick(random, ['---\n', '---\n', '---\n', '--- \n', '\uFEFF---\n', ''])}${first}${lines(FIELDS, 5)}---\n${lines(PIECES, 8)}`
}

describe('the short ways of reading a skill file give what the long ways give', () => {
  it(`for ${ROUNDS.toLocaleString('en')} random files`, () => {
    const random = randomFrom(31)
    for (let round = 0; round < ROUNDS; round++) {
      const bytes = Buffer.from(randomSkill(random))
      expectSame(bytes, random() < 0.7 ? 'a/SKILL.md' : 'a.skill.md')
    }
  })

  it('for all samples', () => {
    const samples = join(ROOT, 'test', 'samples')
    const files = skillFilesIn(samples)
    for (const file of files) expectSame(readFileSync(join(samples, file)), file)
    expect(files.length).toBeGreaterThan(100)
  })

  const skills = corpus()
  it.skipIf(skills === null)('for real skills', () => {
    const files = skillFilesIn(skills as string)
    for (const file of files) expectSame(readFileSync(join(skills as string, file)), file)
    expect(files.length).toBeGreaterThan(4_000)
  })
})
