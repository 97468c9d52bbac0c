import { isAgentAppsError } from '../../../src/base/error.js'
import { nearest } from '../../../src/base/nearest.js'
import { contentCycle, directiveFailed, takesTooLong } from '../../../src/content/content-faults.js'
import { ContentWork } from '../../../src/content/content-work.js'
import { type DirectiveSource, isDirectiveContent } from '../../../src/content/directive.js'
import { directiveNames } from '../../../src/content/directive-names.js'
import { asText, EXPRESSION_START } from '../../../src/content/interpolate.js'
import {
  allDirectives,
  type ContentPart,
  type ContentProblem,
  type ContentRecord,
  type DirectivePart,
  isDirective,
  type NestedContent,
} from '../../../src/index/content-record.js'
import type { DirectiveForm } from '../../../src/skill/directive-forms.js'
import { brokenFault } from '../../../src/skill/skill-faults.js'
import {
  FILE_START,
  type Finding,
  finding,
  type Place,
  RULES,
  type RuleName,
} from '../../diagnostics/diagnostics.js'
import { misformedDirectives } from '../../directives/misformed-directives.js'
import type { KnownDirectives } from '../../directives/parse-content.js'
import { parseContentWithin } from '../../directives/parse-content-within.js'
import type { RecordedIndex } from '../../index/recorded-index.js'
import { type ContentTools, contentSource, type Dependencies } from '../../project/content-source.js'
import type { LibraryTools } from '../../project/library.js'
import type { Project } from '../../project/project.js'
import type { ProjectPart } from '../../project/project-part.js'
import { type ContentBody, directivesOf, type SkillUnit, type UnitTool } from '../../records/skill-unit.js'
import { contentTools } from './content-tools.js'
import { failsInDirective } from './fails-in-directive.js'
import { foldContent } from './fold-content.js'
import { idleInDirective } from './idle-in-directive.js'
import { type ProjectDirectives, projectDirectives } from './static-directives.js'

/** The compiled contents of one directory. */
export interface LocatedContents {
  /** By name; null where the last compile's record still holds. */
  records: Map<string, ContentRecord | null>
  /** The faults of their directives, by file. */
  findings: Map<string, Finding[]>
}

export interface ContentsPart extends ProjectPart {
  /**
   * The last compile's findings in a file, where nothing changed that its contents were made of; else null.
   * Absent: null.
   */
  keptFindings?: (unit: SkillUnit) => Finding[] | null
  /** The records of an index that was made of the same names; else null. Absent: null. */
  recorded?: RecordedIndex | null
}

/**
 * Finds the directives in the contents of a project's skills, and runs those that are static.
 *
 * @param evaluate whether the project's own are run as well
 */
export async function projectContents(
  parts: readonly ContentsPart[],
  library: LibraryTools | null,
  project: Project,
  evaluate: boolean,
): Promise<LocatedContents[]> {
  const directives = projectDirectives(parts, library, evaluate)
  const tools = contentTools(parts, library, project)
  try {
    return await Promise.all(
      parts.map((part, number) => directoryContents(part, number, directives, tools(number))),
    )
  } finally {
    directives.close()
  }
}

async function directoryContents(
  part: ContentsPart,
  number: number,
  directives: ProjectDirectives,
  tools: ContentTools,
): Promise<LocatedContents> {
  const { known, broken } = directives
  const { linked, keptFindings } = part
  const contents: LocatedContents = { records: new Map(), findings: new Map() }
  for (const unit of linked.units) {
    const own = unit.tools.filter(
      tool => directivesOf(tool).length > 0 && linked.names.get(tool.name)?.tool === tool,
    )
    const isOne = (name: string): boolean =>
      known.has(name) || broken.has(name) || nearest(name, known.keys()) !== null
    if (!own.flatMap(directivesOf).some(isOne)) continue
    const kept = keptFindings?.(unit) ?? null
    const compiling = new ContentCompiler(part, number, unit, directives, tools)
    for (const tool of own) {
      if (!directivesOf(tool).some(name => known.has(name))) continue
      contents.records.set(tool.name, kept ? null : await compiling.compile(tool))
    }
    if (!kept) for (const tool of own) await compiling.findText(tool)
    const findings = kept ?? takeRecorded(part, unit, compiling, contents) ?? compiling.findings
    if (findings.length > 0) contents.findings.set(unit.path, findings)
  }
  return contents
}

/**
 * * Takes what an index says of a file's contents that need code to be run, and gives the file's findings.
 * Null where none needs it, or where a file that they were made of is another by now.
 */
function takeRecorded(
  { recorded }: ContentsPart,
  unit: SkillUnit,
  { notEvaluated, findings }: ContentCompiler,
  contents: LocatedContents,
): Finding[] | null {
  if (!recorded || notEvaluated.size === 0) return null
  const known = new Map([...notEvaluated].map(tool => [tool, recorded.content(tool.name)]))
  const files = [unit.path, ...[...known.values()].flatMap(record => record?.inputs ?? [])]
  if ([...known.values()].includes(undefined) || !files.every(recorded.isSame)) return null
  for (const [tool, record] of known) {
    if (!record) continue
    contents.records.set(tool.name, record)
    tool.included = record.inputs ?? []
  }
  const isTold = ({ rule }: Finding): boolean => RULES[rule].severity === 'info'
  return [
    ...findings.filter(isTold),
    ...recorded.findings(unit.path).filter(({ rule }) => CONTENT_RULES.has(rule)),
  ]
}

const CONTENT_RULES: ReadonlySet<RuleName> = new Set([
  'directive-failed',
  'directive-idle',
  'directive-invalid',
])

/** The circumstances in which a text is folded. */
interface Folding {
  /** The files that the text is included by, its own last. */
  way: readonly string[]
  /** The files that the content was made of. */
  files: Set<string>
  work: ContentWork
  /** The directive of the skill's own file that has the text included. */
  including?: DirectivePart
}

/** Compiles the contents of one file. */
class ContentCompiler {
  readonly findings: Finding[] = []
  /** The tools whose contents have directives that were not run. */
  readonly notEvaluated = new Set<UnitTool>()
  /** The tool whose content is being compiled. */
  private compiled: UnitTool | undefined
  private readonly known: KnownDirectives
  /** The work that each content takes, by its tool's name. */
  private readonly works = new Map<string, ContentWork>()
  /** Where the content that is compiled begins. */
  private start: Place = FILE_START
  /** True once a content takes too much work: no more of its directives are run then. */
  private isTooLarge = false

  constructor(
    private readonly part: ContentsPart,
    private readonly number: number,
    private readonly unit: SkillUnit,
    private readonly directives: ProjectDirectives,
    private readonly tools: ContentTools,
  ) {
    this.known = directives.known
  }

  async compile(tool: UnitTool): Promise<ContentRecord> {
    const { text, line } = await this.bodyOf(tool)
    const work = this.workOf(tool)
    this.start = { line, column: 1 }
    this.isTooLarge = false
    const { parts, faults, slips } = await parseContentWithin(text, this.known, line, work)
    for (const { message, hint, ...place } of faults)
      this.findings.push(finding('directive-invalid', place, message, hint))
    for (const { message, hint, ...place } of slips)
      this.findings.push(finding('directive-idle', place, message, hint))
    this.findMisgiven(parts, [this.unit.path])
    const files = new Set<string>()
    this.compiled = tool
    const [problem] = faults
    const compiled = problem ? parts : await this.fold(text, parts, { way: [this.unit.path], files, work })
    // What is too large is left as it was written, so that it is that much again where it is rendered.
    const folded = this.isTooLarge ? parts : compiled
    files.delete(this.unit.path)
    tool.included = [...files].sort()
    return {
      length: text.length,
      parts: folded,
      ...(files.size > 0 && { inputs: tool.included }),
      ...(problem && { problem }),
    }
  }

  /** Finds text that reads like a directive and is none. */
  async findText(tool: UnitTool): Promise<void> {
    await this.findSlips(tool)
    await this.findMisformed(tool)
  }

  /** Finds known directives with too many or too few colons. */
  private async findMisformed(tool: UnitTool): Promise<void> {
    if (!directivesOf(tool).some(name => this.known.has(name))) return
    const { text, line } = await this.bodyOf(tool)
    for (const { name, hint, ...place } of await misformedDirectives(
      text,
      this.known,
      line,
      this.workOf(tool),
    ))
      this.findings.push(finding('directive-unknown', place, name, '', '', hint))
  }

  /**
   * Finds directives whose skill does not load, and those whose name is one edit from a known directive's.
   */
  private async findSlips(tool: UnitTool): Promise<void> {
    const { broken } = this.directives
    const slips = directivesOf(tool).filter(
      name => !this.known.has(name) && (broken.has(name) || this.nearName(name)),
    )
    if (slips.length === 0) return
    const { text, line } = await this.bodyOf(tool)
    const forms: DirectiveForm[] = ['inline', 'block']
    const { parts } = await parseContentWithin(
      text,
      new Map(slips.map(name => [name, forms])),
      line,
      this.workOf(tool),
    )
    for (const {
      name,
      arg,
      attributes,
      at: [line, column],
    } of allDirectives(parts)) {
      if (arg === undefined && attributes === undefined) continue
      const fault = broken.get(name)
      const found = fault ? ['', brokenFault(fault).message] : [this.nearName(name) ?? '']
      this.findings.push(finding('directive-unknown', { line, column }, name, ...found))
    }
  }

  private nearName(name: string): string | null {
    return nearest(name, this.known.keys())
  }

  private async bodyOf({ name, fresh }: UnitTool): Promise<ContentBody> {
    if (fresh?.body) return fresh.body
    return (await this.part.parseTool(this.unit.path, name))?.body ?? { text: '', line: 1 }
  }

  private workOf({ name }: UnitTool): ContentWork {
    const work = this.works.get(name) ?? new ContentWork()
    this.works.set(name, work)
    return work
  }

  private fold(text: string, parts: readonly ContentPart[], folding: Folding): Promise<ContentPart[]> {
    const { way, files, work, including } = folding
    return foldContent(text, parts, async (directive, children) => {
      if (this.isTooLarge) return null
      const dependencies: Dependencies = { files: new Set(), isOpen: false }
      const { dir } = this.part.directory
      const source = contentSource(dir, way.at(-1) as string, this.tools, dependencies, work)
      try {
        const ran = await this.run(directive, children, source, dependencies)
        if (ran === 'not evaluated') this.addNotEvaluated(directive, way, including)
        if (ran === null || ran === 'not evaluated' || dependencies.isOpen) return null
        const { result } = ran
        const nested = isDirectiveContent(result)
          ? await this.nest(result, dependencies, { ...folding, including: including ?? directive })
          : work.place(asText(result))
        if (nested !== null) for (const file of dependencies.files) files.add(file)
        return nested
      } catch (error) {
        this.addFailure(directive, error, way, including)
        // Rendering fails in the same way.
        return null
      }
    })
  }

  private run(
    { name, arg, attributes = {} }: DirectivePart,
    children: string | null,
    source: DirectiveSource,
    dependencies: Dependencies,
  ): ReturnType<ProjectDirectives['run']> {
    const inner = children === null ? {} : { children: async () => children }
    return this.directives.run(name, { arg, attributes, source, ...inner }, this.number, dependencies)
  }

  private async nest(
    { content, file, entry }: { content: string; file: string; entry?: string | undefined },
    dependencies: Dependencies,
    { way, work, including }: Folding & { including: DirectivePart },
  ): Promise<string | NestedContent | null> {
    if (entry !== undefined) return null
    if (way.includes(file)) throw contentCycle([...way, file])
    work.place(content)
    if (!directiveNames(content).some(name => this.known.has(name))) return plain(content, file)
    work.include()
    const { parts, faults, slips } = await parseContentWithin(content, this.known, 1, work)
    const addIncluded = (rule: 'directive-invalid' | 'directive-idle', problem: ContentProblem): void => {
      const { message, hint, line, column } = problem
      const place = `in ${file}:${line}:${column}, which it includes, `
      this.findings.push(finding(rule, placeOf(including), place + message, hint))
    }
    const [fault] = faults
    if (fault) {
      if (work.isSpent) throw takesTooLong()
      addIncluded('directive-invalid', fault)
      return { text: '', parts: [], file, problem: fault }
    }
    for (const slip of slips) addIncluded('directive-idle', slip)
    this.findMisgiven(parts, [...way, file], including)
    const { files } = dependencies
    const folded = await this.fold(content, parts, { way: [...way, file], files, work, including })
    const isText = !folded.some(isDirective)
    return isText ? plain(content, file) : { text: content, parts: folded, file }
  }

  private addNotEvaluated(
    directive: DirectivePart,
    way: readonly string[],
    including: DirectivePart | undefined,
  ): void {
    if (this.compiled) this.notEvaluated.add(this.compiled)
    const problem = { message: `the directive ${JSON.stringify(directive.name)}`, hint: '' }
    this.add('not-evaluated', problem, directive, way, including)
  }

  private addFailure(
    directive: DirectivePart,
    error: unknown,
    way: readonly string[],
    including: DirectivePart | undefined,
  ): void {
    const { code, message, hint } = isAgentAppsError(error) ? error : directiveFailed(directive.name, error)
    if (code === 'CONTENT_TOO_LARGE') {
      // It is of the content, whichever directive is the one too much.
      if (!this.isTooLarge) this.findings.push(finding('directive-failed', this.start, message, hint))
      this.isTooLarge = true
    } else this.add('directive-failed', { message, hint }, directive, way, including)
  }

  /** Finds arguments of the library's directives that do nothing, or that fail at every call. */
  private findMisgiven(
    parts: readonly ContentPart[],
    way: readonly string[],
    including?: DirectivePart,
  ): void {
    for (const directive of allDirectives(parts)) {
      if (!this.directives.isLibrarys(directive.name)) continue
      const failing = failsInDirective(directive)
      if (failing) this.add('directive-failed', failing, directive, way, including)
      for (const idle of idleInDirective(directive))
        this.add('directive-idle', idle, directive, way, including)
    }
  }

  private add(
    rule: 'directive-failed' | 'directive-idle' | 'not-evaluated',
    { message, hint }: { message: string; hint: string },
    directive: DirectivePart,
    way: readonly string[],
    including: DirectivePart | undefined,
  ): void {
    const placed = including
      ? `in ${way.at(-1)}:${directive.at.join(':')}, which it includes, ${message}`
      : message
    this.findings.push(finding(rule, placeOf(including ?? directive), placed, hint))
  }
}

function placeOf({ at: [line, column] }: DirectivePart): Place {
  return { line, column }
}

/** A text without directives. A text with `${…}` is rendered together with the content that includes it. */
function plain(text: string, file: string): string | NestedContent {
  return text.includes(EXPRESSION_START) ? { text, parts: [[0, text.length]], file } : text
}
