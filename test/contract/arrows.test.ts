import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/processes.js'

interface Import {
  from: string
  line: number
  /** The specifier as written. */
  to: string
  /** Where it leads inside the package: `src/base/json.ts`; else the specifier. */
  target: string
}

/** Every import, export-from and `import()` of a text, types included: what a file needs to be understood. */
const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(\s*|^\s*import\s+)(['"])([^'"\n]+)\1/gm

function filesIn(folder: string): string[] {
  const directory = join(ROOT, folder)
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.includes('node_modules'))
    .map(name => `${folder}/${name}`)
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, comment =>
    comment.replace(/[^\n]/g, ' '),
  )
  return [...text.matchAll(SPECIFIER)].map(match => {
    const to = match[2] ?? ''
    const path = to.startsWith('.')
      ? relative(ROOT, join(ROOT, dirname(file), to)).replace(/\.js$/, '.ts')
      : to
    return { from: file, line: text.slice(0, match.index).split('\n').length, to, target: path }
  })
}

/** What a file imports for more than types, and not on demand. */
function valueImports(file: string): string[] {
  const statements = readFileSync(join(ROOT, file), 'utf8').matchAll(
    /^(?:import|export) ([^'"()=]*?) from '(\.[^']+)\.js'/gm,
  )
  return [...statements].flatMap(([, what = '', to = '']) => {
    const names = what.replace(/^\{|\}$/g, '').split(',')
    const isTyped = what.startsWith('type ') || names.every(name => /^\s*(?:type .*)?$/s.test(name))
    return isTyped ? [] : [`${relative(ROOT, join(ROOT, dirname(file), to))}.ts`]
  })
}

/** The imports of a folder that a rule forbids, each with the rule's reason: what the failure shows. */
function broken(folder: string, isAllowed: (one: Import) => boolean, why: string): string[] {
  return filesIn(folder)
    .flatMap(importsOf)
    .filter(one => !isAllowed(one))
    .map(({ from, line, to }) => `${from}:${line} imports ${to}: ${why}`)
}

const inside =
  (...folders: string[]) =>
  ({ target }: Import): boolean =>
    folders.some(folder => target.startsWith(`${folder}/`))
const isNode = (name: string): boolean => name.startsWith('node:') || builtinModules.includes(name)
/** What `#disk` leads to on Node, with what it loads on demand. */
const NODE_HOST = new Set([
  'runtime/host/disk.ts',
  'runtime/host/disk-imports.ts',
  'runtime/host/main-module.ts',
  'runtime/host/state-directory.ts',
  'runtime/host/file-cache.ts',
])
const PUBLIC = new Set([
  'agent-apps',
  'agent-apps/runtime',
  'agent-apps/compiler',
  'agent-apps/export',
  'agent-apps/mcp',
  'agent-apps/package.json',
])
/** Not of this package, or one of its entries. */
const isPublic = ({ to }: Import): boolean =>
  PUBLIC.has(to) || (!to.startsWith('.') && !to.startsWith('#') && !to.startsWith('agent-apps'))

describe('which part may import which', () => {
  it('no module is imported for its effects: the build leaves such imports out', () => {
    const bare = ['src', 'compiler', 'runtime', 'workspace', 'cli', 'adapters']
      .flatMap(filesIn)
      .filter(file => /^import '\./m.test(readFileSync(join(ROOT, file), 'utf8')))
    expect(bare).toEqual([])
  })

  it('finds imports at all', () => {
    expect(filesIn('src').length).toBeGreaterThan(5)
    expect(importsOf('compiler/pipeline/project-stages.ts').map(({ target }) => target)).toEqual(
      expect.arrayContaining([
        'node:crypto',
        'src/index/index-format.ts',
        'compiler/2-resolve/cascade/cascade-tools.ts',
        'compiler/pipeline/project-cascades.ts',
        'compiler/project/library.ts',
      ]),
    )
    expect(importsOf('compiler/pipeline/read-config.ts').map(({ target }) => target)).toContain('esbuild')
  })

  it('src: only src', () => {
    const why =
      'src is the contract that every part and every host shares; it is pure, without Node and packages'
    expect(broken('src', inside('src'), why)).toEqual([])
  })

  it('runtime: only src and itself, and Node only in #disk', () => {
    const why =
      'the runtime is what ships: no compiler (not even its types), no package, and no Node outside of #disk'
    const host = (one: Import): boolean => NODE_HOST.has(one.from) && isNode(one.to)
    expect(
      broken('runtime', one => inside('src', 'runtime')(one) || one.to === '#disk' || host(one), why),
    ).toEqual([])
  })

  it.each(['src', 'runtime'])('%s: no file needs itself through others before it runs', folder => {
    const graph = new Map(filesIn(folder).map(file => [file, valueImports(file)]))
    const cycles: string[] = []
    const done = new Set<string>()
    const follow = (file: string, way: readonly string[]): void => {
      if (way.includes(file)) cycles.push([...way.slice(way.indexOf(file)), file].join(' → '))
      if (done.has(file) || way.includes(file)) return
      for (const next of graph.get(file) ?? []) follow(next, [...way, file])
      done.add(file)
    }
    for (const file of graph.keys()) follow(file, [])
    expect([...graph.values()].flat().length).toBeGreaterThan(50)
    expect(cycles).toEqual([])
  })

  it('runtime: nobody but the seam names the disk', () => {
    const why = 'the host is reached through #disk, which is empty where there is no file system'
    expect(
      broken(
        'runtime',
        one => one.target !== 'runtime/host/disk.ts' && one.target !== 'runtime/host/no-disk.ts',
        why,
      ),
    ).toEqual([])
  })

  it('compiler: src, itself, Node and packages, never the runtime', () => {
    const why = 'compiler and runtime meet only in src, so that either can be replaced'
    const isPackage = ({ to }: Import): boolean =>
      !to.startsWith('.') && !to.startsWith('agent-apps/') && !to.startsWith('#')
    expect(broken('compiler', one => inside('src', 'compiler')(one) || isPackage(one), why)).toEqual([])
  })

  it('no phase imports another', () => {
    const why = 'phases pass plain records; only the pipeline (compile, check, disk, clean) knows them all'
    const phase = (path: string): string | undefined => /^compiler\/(\d-[a-z]+)\//.exec(path)?.[1]
    const phases = readdirSync(join(ROOT, 'compiler')).filter(name => /^\d-/.test(name))
    expect(phases.length).toBeGreaterThan(2)
    const isOwn = ({ from, target }: Import): boolean =>
      phase(target) === undefined || phase(target) === phase(from)
    expect(phases.flatMap(folder => broken(`compiler/${folder}`, isOwn, why))).toEqual([])
  })

  it('no phase imports the pipeline', () => {
    const why = 'a phase does not know who runs it'
    const pipeline = /^compiler\/(?:compile|check|clean|disk|index|project|report)\.ts$/
    // A record's type may be named where the report declares it; see compiler/2-resolve/link/link.ts.
    const known = ({ from, target }: Import): boolean =>
      from === 'compiler/2-resolve/link/link.ts' && target === 'compiler/project/report.ts'
    for (const folder of ['1-read', '2-resolve', '3-emit', '4-bundle']) {
      expect(broken(`compiler/${folder}`, one => !pipeline.test(one.target) || known(one), why)).toEqual([])
    }
  })

  it('workspace: src, public entries, itself and Node', () => {
    const why = 'the library takes it into its modules, which share only the runtime with the rest'
    const isKnown = ({ to }: Import): boolean => to === 'agent-apps' || isNode(to)
    expect(broken('workspace', one => inside('src', 'workspace')(one) || isKnown(one), why)).toEqual([])
  })

  it('adapters: only public entries, itself and Node', () => {
    const why = 'the adapters are users like any other: what they need must be public'
    expect(broken('adapters', one => inside('adapters')(one) || isPublic(one), why)).toEqual([])
  })

  it('cli: only public entries, src, itself and Node', () => {
    const why =
      'the command is a user like any other: what it needs must be public; of src it has a copy, as loading an entry takes longer'
    expect(broken('cli', one => inside('cli', 'src')(one) || isPublic(one), why)).toEqual([])
  })

  it('the built runtime needs no package, and Node only in #disk', () => {
    const seen = new Set<string>()
    const outside: string[] = []
    const visit = (file: string): void => {
      if (seen.has(file)) return
      seen.add(file)
      for (const match of readFileSync(join(ROOT, file), 'utf8').matchAll(SPECIFIER)) {
        const to = match[2] ?? ''
        if (to.startsWith('.')) visit(join(dirname(file), to))
        else if (to !== '#disk') outside.push(`${file}: ${to}`)
      }
    }
    visit('dist/runtime/index.js')
    visit('dist/runtime/agent-apps.js')
    // Building makes these of all the runtime's files; packages and Node it leaves as imports, to be seen here.
    const built = readdirSync(join(ROOT, 'dist/runtime')).filter(name => name.endsWith('.js'))
    // What `#disk` leads to, and what only bundles take.
    const apart = [
      'disk.js',
      'disk-imports.js',
      'main-module.js',
      'state-directory.js',
      'file-cache.js',
      'no-disk.js',
      'bundle-disk.js',
      'bundled-tools.js',
    ]
    expect([...seen].sort()).toEqual(
      built.filter(name => !apart.includes(name)).map(name => `dist/runtime/${name}`),
    )
    // Whatever is called later, importing the slim entry loads one file besides.
    const statically = (file: string) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"/gm)].map(
        ([, to]) => to,
      )
    expect(statically('dist/runtime/index.js')).toEqual(['./shared.js'])
    expect(new Set(statically('dist/runtime/shared.js'))).toEqual(new Set(['#disk']))
    expect(outside).toEqual([])
  })
})
