import { relative } from 'node:path'
import type { Diagnostic } from '../../../src/base/diagnostic.js'
import type { DirectiveCall } from '../../../src/content/directive.js'
import { isInside } from '../../../src/index/inside-path.js'
import type { DirectiveForm } from '../../../src/skill/directive-forms.js'
import { toDiagnostic } from '../../diagnostics/diagnostics.js'
import { bundleApart } from '../../esbuild/import-bundled.js'
import type { Dependencies } from '../../project/content-source.js'
import type { LibraryTools } from '../../project/library.js'
import type { ProjectPart } from '../../project/project-part.js'
import { cascadeInput } from '../../records/skill-unit.js'
import { fileOf, type WalkedSkill } from '../../records/walked.js'
import { DirectiveProcess } from './directive-process.js'

/** The directives that a project's skills may use: its own, then the library's. */
export interface ProjectDirectives {
  known: ReadonlyMap<string, readonly DirectiveForm[]>
  /** By name: the faults that keep skills from loading which may be directives. */
  broken: ReadonlyMap<string, Diagnostic>
  /** True for a directive of the library. */
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
  /** Ends the processes of authors' directives. */
  close: () => void
}

/** @param evaluate whether those of the project's own are run */
export function projectDirectives(
  parts: readonly ProjectPart[],
  library: LibraryTools | null,
  evaluate: boolean,
): ProjectDirectives {
  const known = new Map<string, readonly DirectiveForm[]>()
  const own = new Map<string, number>()
  const broken = new Map<string, Diagnostic>()
  for (const [number, { linked }] of parts.entries()) {
    for (const [name, { unit, tool, broken: fault }] of linked.names) {
      if (fault && !broken.has(name)) broken.set(name, toDiagnostic(unit.path, fault))
      const forms = tool && cascadeInput(tool)?.directive
      if (!forms || known.has(name)) continue
      known.set(name, forms)
      own.set(name, number)
    }
  }
  for (const [name, forms] of library?.readDirectives() ?? []) if (!known.has(name)) known.set(name, forms)

  const processes = new Map<string, Promise<AuthorsDirective | null>>()
  return {
    known,
    broken,
    isLibrarys: name => known.has(name) && !own.has(name),
    async run(name, call, directory, dependencies) {
      const home = own.get(name)
      if (home === undefined) {
        const directive = await library?.staticDirective(name)
        return directive ? { result: await directive(undefined, call) } : null
      }
      const part = parts[home] as ProjectPart
      if (!evaluate) return staticSource(name, part) ? 'not evaluated' : null
      const running = processes.get(name) ?? startDirective(name, part)
      processes.set(name, running)
      const directive = await running
      if (directive === null) return null
      if (home !== directory || !directive.inputs.every(isInside)) dependencies.isOpen = true
      for (const file of directive.inputs) dependencies.files.add(file)
      return { result: await directive.process.run(call) }
    },
    close() {
      for (const running of processes.values()) void running.then(directive => directive?.process.close())
    },
  }
}

/** A static directive of the project's own, ready to be called. */
interface AuthorsDirective {
  process: DirectiveProcess
  /** The files that its code consists of, relative to its directory. */
  inputs: string[]
}

/** Null for a directive that is not static, or has no code of its own: it runs when content is rendered. */
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
