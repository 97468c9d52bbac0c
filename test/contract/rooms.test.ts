import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/processes.js'

/**
 * The rooms: folders of `src/`, `compiler/`, `runtime/` and `workspace/`, each with one subject. docs/architecture.md lists them, lowest first, and this
 * test compares the code with that list. Every failure names the line that breaks a rule, and why there is such a rule.
 */
const ROOMS = roomsOf(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8'))
const PARTS = ['src', 'compiler', 'runtime', 'workspace']
const ALL_PARTS = [...PARTS, 'cli', 'adapters', 'skills']

/** The files that may import a higher room on demand, each with the reason. */
const SEAMS = new Map([
  [
    'runtime/find/make-tool.ts',
    'finding a tool must not load what calls and renders it, and a tool that was found can do both',
  ],
  [
    'runtime/call/agent-runtime.ts',
    'a tool that runs can start an agent, and what agents do needs what finds, calls and renders',
  ],
])

/** A room has about fifteen files, more where they are one subject. */
const FILES_MAX = 20
const FILE_LINES_MAX = 400
/** A declarative table with an entry for each rule. */
const LONG_FILES = new Set(['compiler/diagnostics/diagnostics.ts'])

interface Import {
  from: string
  line: number
  /** The file that it leads to, from the root. */
  to: string
  isOnDemand: boolean
}

const FILES = ALL_PARTS.flatMap(filesIn)
const IMPORTS = FILES.flatMap(importsOf)

describe('rooms', () => {
  it('are listed, and each file is in one', () => {
    expect(ROOMS.length).toBeGreaterThan(20)
    const homeless = FILES.filter(file => PARTS.includes(partOf(file)) && !ROOMS.includes(roomOf(file)))
    expect(homeless, 'docs/architecture.md does not list the folder of these files').toEqual([])
    const empty = ROOMS.filter(room => !FILES.some(file => roomOf(file) === room))
    expect(empty, 'docs/architecture.md lists folders without a file').toEqual([])
  })

  it(`hold at most ${FILES_MAX} files, so that a reader takes one in at a glance`, () => {
    const counts = ROOMS.map(room => [room, FILES.filter(file => roomOf(file) === room).length] as const)
    expect(counts.filter(([, count]) => count > FILES_MAX)).toEqual([])
  })

  it('import themselves and lower rooms, types included', () => {
    const why = 'a room can be understood with the rooms below it alone'
    const upward = IMPORTS.filter(({ from, to }) => partOf(from) === partOf(to) && rank(to) > rank(from))
    const broken = upward.filter(({ from, isOnDemand }) => !(isOnDemand && SEAMS.has(from)))
    expect(
      broken.map(({ from, line, to }) => `${from}:${line} imports ${to}, a higher room: ${why}`),
    ).toEqual([])
    const idle = [...SEAMS.keys()].filter(seam => !upward.some(({ from }) => from === seam))
    expect(idle, 'these files are listed as seams and import no higher room').toEqual([])
  })

  it('have no cycle of imports inside them, types included', () => {
    const next = importsByFile(({ from, to, isOnDemand }) => !isOnDemand && roomOf(from) === roomOf(to))
    const cycles: string[] = []
    const done = new Set<string>()
    const follow = (file: string, way: readonly string[]): void => {
      if (way.includes(file)) cycles.push([...way.slice(way.indexOf(file)), file].join(' → '))
      if (done.has(file) || way.includes(file)) return
      for (const other of next.get(file) ?? []) follow(other, [...way, file])
      done.add(file)
    }
    for (const file of FILES) follow(file, [])
    expect(cycles).toEqual([])
  })

  it('of different phases know nothing of each other, not even through other files', () => {
    const phase = (file: string): string => /^compiler\/(\d-[a-z]+)\//.exec(file)?.[1] ?? ''
    const phases = FILES.filter(file => phase(file) !== '')
    expect(new Set(phases.map(phase)).size).toBe(4)
    const next = importsByFile(() => true)
    const broken = phases.flatMap(file => {
      const others = [...reachedFrom(file, next)].map(phase).filter(one => one !== '' && one !== phase(file))
      return [...new Set(others)].map(other => `${file} leads to ${other}`)
    })
    expect(broken, 'phases pass plain records, and only the pipelines know all of them').toEqual([])
  })

  // No function has more than 60 lines: biome.json says so.
  it(`hold no file of more than ${FILE_LINES_MAX} lines`, () => {
    const isLong = (file: string): boolean => textOf(file).split('\n').length - 1 > FILE_LINES_MAX
    expect(FILES.filter(file => isLong(file) && !LONG_FILES.has(file))).toEqual([])
  })

  it('hold no docstring that begins with "The same", which sends its reader elsewhere', () => {
    expect(FILES.filter(file => /\/\*\*\s+(?:\* )?The same/.test(textOf(file)))).toEqual([])
  })
})

/** The first column of the tables of rooms, in order. */
function roomsOf(page: string): string[] {
  return [...page.matchAll(/^\| `((?:src|compiler|runtime|workspace)(?:\/[\w-]+)*)` \|/gm)].map(
    ([, room = '']) => room,
  )
}

function filesIn(part: string): string[] {
  return readdirSync(join(ROOT, part), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map(name => `${part}/${name.replaceAll('\\', '/')}`)
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

function partOf(file: string): string {
  return file.split('/')[0] ?? ''
}

function roomOf(file: string): string {
  return dirname(file)
}

function rank(file: string): number {
  return ROOMS.indexOf(roomOf(file))
}

/** Every relative `import`, `export … from` and `import()` of a file, those of types included. */
function importsOf(file: string): Import[] {
  const text = textOf(file).replace(/\/\*[\s\S]*?\*\//g, comment => comment.replace(/[^\n]/g, ' '))
  const specifiers = text.matchAll(/(\bfrom\s*|\bimport\s*\(\s*|^\s*import\s+)(['"])(\.[^'"\n]+)\2/gm)
  return [...specifiers].map(({ 1: keyword = '', 3: specifier = '', index }) => ({
    from: file,
    line: text.slice(0, index).split('\n').length,
    to: relative(ROOT, join(ROOT, dirname(file), specifier))
      .replaceAll('\\', '/')
      .replace(/\.js$/, '.ts'),
    isOnDemand: keyword.includes('('),
  }))
}

function importsByFile(counts: (one: Import) => boolean): Map<string, string[]> {
  const imports = new Map(FILES.map(file => [file, [] as string[]]))
  for (const one of IMPORTS) if (counts(one)) imports.get(one.from)?.push(one.to)
  return imports
}

function reachedFrom(start: string, next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>()
  const open = [start]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const other of next.get(file) ?? []) {
      if (reached.has(other)) continue
      reached.add(other)
      open.push(other)
    }
  }
  return reached
}
