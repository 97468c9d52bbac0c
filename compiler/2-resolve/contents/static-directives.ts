import { relative } from 'node:path'
import type { Diagnostic } from '../../../src/base/diagnostic.js'
import type { DirectiveCall, DirectiveForm } from '../../../src/content/directive.js'
import { isInside } from '../../../src/index/inside-path.js'
import { labelOf, namespaceOf } from '../../../src/skill/names.js'
import { toDiagnostic } from '../../diagnostics/diagnostics.js'
import { bundleApart } from '../../esbuild/import-bundled.js'
import { memoize } from '../../files/memoize.js'
import type { Dependencies } from '../../project/content-source.js'
import type { LibraryTools } from '../../project/library.js'
import type { ProjectPart } from '../../project/project.js'
import { cascadeInput } from '../../records/skill-unit.js'
import { fileOf, type WalkedSkill } from '../../records/walked.js'
import { DirectiveProcess } from './directive-process.js'

export interface ProjectDirectives {
  /** Those that the skills of a namespace may use: its own, those without a namespace, then the library's. */
  within: (namespace: string) => UsableDirectives
  /** Ends the processes of authors' directives. */
  close: () => void
}

/** The directives that a content may use, by name without namespace. */
export interface UsableDirectives {
  known: ReadonlyMap<string, readonly DirectiveForm[]>
  /** The faults of skills that do not load and may be directives, by name. */
  broken: ReadonlyMap<string, Diagnostic>
  isLibrarys: (name: string) => boolean
  /**
   * Runs a static directive for a directory's content; null for a dynamic one, and for one that the compiler
   * does not run.
   */
  run: (
    name: string,
    call: DirectiveCall,
    directory: number,
    dependencies: Dependencies,
  ) => Promise<{ result: unknown } | 'not evaluated' | null>
}

/** @param evaluate whether the project's own directives are run */
export function projectDirectives(
  parts: readonly ProjectPart[],
  library: LibraryTools | null,
  evaluate: boolean,
): ProjectDirectives {
  const own = ownDirectives(parts)
  const shipped = library?.readDirectives() ?? new Map<string, readonly DirectiveForm[]>()
  const processes = new Map<string, Promise<AuthorsDirective | null>>()

  /** Runs a directive of the project's own, by its whole name. */
  const run = async (
    name: string,
    home: number,
    call: DirectiveCall,
    directory: number,
    dependencies: Dependencies,
  ): ReturnType<UsableDirectives['run']> => {
    const part = parts[home] as ProjectPart
    if (!evaluate) return staticSource(name, part) ? 'not evaluated' : null
    const running = processes.get(name) ?? startDirective(name, part)
    processes.set(name, running)
    const directive = await running
    if (directive === null) return null
    if (home !== directory || !directive.inputs.every(isInside)) dependencies.isOpen = true
    for (const file of directive.inputs) dependencies.files.add(file)
    return { result: await directive.process.run(call) }
  }

  const within = (namespace: string): UsableDirectives => {
    const { known, broken } = inScope(own, namespace)
    return {
      known: new Map([...shipped, ...[...known].map(([label, { forms }]) => [label, forms] as const)]),
      broken,
      isLibrarys: label => shipped.has(label) && !known.has(label),
      async run(label, call, directory, dependencies) {
        const found = known.get(label)
        if (found) return run(found.name, found.home, call, directory, dependencies)
        const directive = await library?.staticDirective(label)
        return directive ? { result: await directive(undefined, call) } : null
      },
    }
  }

  return {
    within: memoize(within),
    close() {
      for (const running of processes.values()) void running.then(directive => directive?.process.close())
    },
  }
}

interface OwnDirective {
  name: string
  forms: readonly DirectiveForm[]
  /** The number of its directory. */
  home: number
}

interface OwnDirectives {
  known: Map<string, OwnDirective>
  broken: Map<string, Diagnostic>
}

/** The project's own directives, and the skills with faults that may be some, by whole name. */
function ownDirectives(parts: readonly ProjectPart[]): OwnDirectives {
  const known: OwnDirectives['known'] = new Map()
  const broken: OwnDirectives['broken'] = new Map()
  for (const [home, { linked }] of parts.entries()) {
    for (const [name, { unit, tool, broken: fault }] of linked.names) {
      if (fault && !broken.has(name)) broken.set(name, toDiagnostic(unit.path, fault))
      const forms = tool && cascadeInput(tool)?.directive
      if (forms && !known.has(name)) known.set(name, { name, forms, home })
    }
  }
  return { known, broken }
}

/** Directives without a namespace, and those of one namespace, which come first; keyed by bare name. */
function inScope({ known, broken }: OwnDirectives, namespace: string): OwnDirectives {
  const usable = <Value>(all: ReadonlyMap<string, Value>): Map<string, Value> => {
    const of = (wanted: string): [string, Value][] =>
      [...all].flatMap(([name, value]) => (namespaceOf(name) === wanted ? [[labelOf(name), value]] : []))
    return new Map(namespace === '' ? of('') : [...of(''), ...of(namespace)])
  }
  return { known: usable(known), broken: usable(broken) }
}

/** A static directive of the project's own, ready to be called. */
interface AuthorsDirective {
  process: DirectiveProcess
  /** The files that its code consists of, relative to its directory. */
  inputs: string[]
}

/** Null for a directive that is not static or has no code: it runs when content is rendered. */
function staticSource(name: string, { linked, skills }: ProjectPart): WalkedSkill | null {
  const { unit, tool } = linked.names.get(name) ?? {}
  const skill = skills.find(({ path, kind }) => path === unit?.path && kind === 'code')
  return tool && skill && cascadeInput(tool)?.metadata?.static === true ? skill : null
}

async function startDirective(name: string, part: ProjectPart): Promise<AuthorsDirective | null> {
  const { directory } = part
  const skill = staticSource(name, part)
  if (skill === null) return null
  const parsed = await part.parseTool(skill.path, name)
  const code = await bundleApart(directory.dir, { file: fileOf(skill) }, directory.externalPackages)
  return {
    process: new DirectiveProcess(name, code.file, parsed?.code?.exported ?? 'default'),
    inputs: code.inputs.map(input => relative(directory.dir, input).replaceAll('\\', '/')),
  }
}
