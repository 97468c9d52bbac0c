import { isAgentAppsError } from '../../../src/base/error.js'
import { nearest } from '../../../src/base/nearest.js'
import { contentCycle, directiveFailed, takesTooLong } from '../../../src/content/content-faults.js'
import { ContentWork } from '../../../src/content/content-work.js'
import {
  type DirectiveContent,
  type DirectiveForm,
  isDirectiveContent,
} from '../../../src/content/directive.js'
import { directiveNames } from '../../../src/content/directive-names.js'
import { asText, EXPRESSION_START } from '../../../src/content/interpolate.js'
import {
  allDirectives,
  type ContentPart,
  type ContentRecord,
  type DirectivePart,
  isDirective,
  type NestedContent,
} from '../../../src/index/content-record.js'
import { boundAt } from '../../../src/index/unit-around.js'
import { brokenFault } from '../../../src/skill/skill-faults.js'
import {
  FILE_START,
  type Finding,
  finding,
  type Place,
  RULES,
  type RuleName,
} from '../../diagnostics/diagnostics.js'
import type { KnownDirectives } from '../../directives/parse-content.js'
import { parseContentWithin } from '../../directives/parse-content-within.js'
import type { RecordedIndex } from '../../index/recorded-index.js'
import { type ContentTools, contentSource, type Dependencies } from '../../project/content-source.js'
import type { LibraryTools } from '../../project/library.js'
import { namespaceOfFile, type Project, type ProjectPart } from '../../project/project.js'
import { type ContentBody, directivesOf, type SkillUnit, type UnitTool } from '../../records/skill-unit.js'
import { contentTools } from './content-tools.js'
import { misformedDirectives, misgivenArguments } from './directive-slips.js'
import { foldContent } from './fold-content.js'
import { type ProjectDirectives, projectDirectives, type UsableDirectives } from './static-directives.js'

export interface LocatedContents {
  /** Records by tool name; null if the last compile's record is still valid. */
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
  /** The records of an index with the same names; else null. Default: null. */
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
  const { linked, keptFindings } = part
  const contents: LocatedContents = { records: new Map(), findings: new Map() }
  for (const unit of linked.units) {
    const own = unit.tools.filter(
      tool => directivesOf(tool).length > 0 && linked.names.get(tool.name)?.tool === tool,
    )
    const usable = directives.within(namespaceOfFile(part, unit.path))
    const { known, broken } = usable
    const isOne = (name: string): boolean =>
      known.has(name) || broken.has(name) || nearest(name, known.keys()) !== null
    if (!own.flatMap(directivesOf).some(isOne)) continue
    const kept = keptFindings?.(unit) ?? null
    const compiling = new ContentCompiler(part, number, unit, usable, tools)
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
 * Takes the records of contents that need code to be run from an index, and returns the file's findings.
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
  const isInfo = ({ rule }: Finding): boolean => RULES[rule].severity === 'info'
  return [
    ...findings.filter(isInfo),
    ...recorded.findings(unit.path).filter(({ rule }) => CONTENT_RULES.has(rule)),
  ]
}

const CONTENT_RULES: ReadonlySet<RuleName> = new Set([
  'directive-failed',
  'directive-idle',
  'directive-invalid',
])

/** The file of the content that is being folded. */
interface Inclusion {
  /** The chain of files that include it, its own last. */
  way: readonly string[]
  /** The directive in the skill's own file that includes it. */
  including?: DirectivePart
}

/** The position from which a content is folded. */
interface Folding extends Inclusion {
  /** The files that the content was made of. */
  files: Set<string>
  work: ContentWork
}

class ContentCompiler {
  readonly findings: Finding[] = []
  /** The tools whose contents have directives that were not run. */
  readonly notEvaluated = new Set<UnitTool>()
  private compiled: UnitTool | undefined
  private readonly known: KnownDirectives
  /** The work that each content takes, by its tool's name. */
  private readonly works = new Map<string, ContentWork>()
  /** The place at which the content that is compiled begins. */
  private start: Place = FILE_START
  /** True once a content takes too much work: no more of its directives are run then. */
  private isTooLarge = false

  constructor(
    private readonly part: ContentsPart,
    private readonly number: number,
    private readonly unit: SkillUnit,
    private readonly directives: UsableDirectives,
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
    const way = [this.unit.path]
    this.findMisgiven(parts, { way })
    const files = new Set<string>()
    this.compiled = tool
    const [problem] = faults
    const compiled = problem ? parts : await this.fold(text, parts, { way, files, work })
    // A content that is too large is left unchanged, so that rendering it reports the same.
    const folded = this.isTooLarge ? parts : compiled
    files.delete(this.unit.path)
    // How many files were reached by then differs from one compile to the next.
    if (work.isSpent) files.clear()
    tool.included = [...files].sort()
    return {
      length: text.length,
      parts: folded,
      ...(files.size > 0 && { inputs: tool.included }),
      ...(problem && { problem }),
    }
  }

  /** Finds text that resembles a directive but is not one. */
  async findText(tool: UnitTool): Promise<void> {
    await this.findSlips(tool)
    if (!directivesOf(tool).some(name => this.known.has(name))) return
    const { text, line } = await this.bodyOf(tool)
    const misformed = await misformedDirectives(text, this.known, line, this.workOf(tool))
    for (const { name, hint, ...place } of misformed)
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
    const forms = slips.map((name): [string, DirectiveForm[]] => [name, ['inline', 'block']])
    const { parts } = await parseContentWithin(text, new Map(forms), line, this.workOf(tool))
    for (const directive of allDirectives(parts)) {
      const { name, arg, attributes } = directive
      if (arg === undefined && attributes === undefined) continue
      const fault = broken.get(name)
      const found = fault ? ['', brokenFault(fault).message] : [this.nearName(name) ?? '']
      this.findings.push(finding('directive-unknown', placeOf(directive), name, ...found))
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
      const file = way.at(-1) as string
      const bound = boundAt(file, this.part)
      const source = contentSource(dir, file, bound, this.tools, dependencies, work)
      try {
        const { name, arg, attributes = {} } = directive
        const inner = children === null ? {} : { children: async () => children }
        const call = { arg, attributes, source, ...inner }
        const ran = await this.directives.run(name, call, this.number, dependencies)
        if (ran === 'not evaluated') this.addNotEvaluated(directive, folding)
        if (ran === null || ran === 'not evaluated' || dependencies.isOpen) return null
        const { result } = ran
        const nested = isDirectiveContent(result)
          ? await this.nest(result, dependencies, { ...folding, including: including ?? directive })
          : work.place(asText(result))
        if (nested !== null) for (const file of dependencies.files) files.add(file)
        return nested
      } catch (error) {
        this.addFailure(directive, error, folding)
        // Rendering fails in the same way.
        return null
      }
    })
  }

  private async nest(
    { content, file, entry }: DirectiveContent,
    dependencies: Dependencies,
    { way, work, including }: Folding & { including: DirectivePart },
  ): Promise<string | NestedContent | null> {
    if (entry !== undefined) return null
    if (way.includes(file)) throw contentCycle([...way, file])
    work.place(content)
    if (!directiveNames(content).some(name => this.known.has(name))) return plain(content, file)
    work.include()
    const { parts, faults, slips } = await parseContentWithin(content, this.known, 1, work)
    const inner = { way: [...way, file], including }
    const [fault] = faults
    if (fault) {
      if (work.isSpent) throw takesTooLong()
      this.add('directive-invalid', fault, [fault.line, fault.column], inner)
      return { text: '', parts: [], file, problem: fault }
    }
    for (const slip of slips) this.add('directive-idle', slip, [slip.line, slip.column], inner)
    this.findMisgiven(parts, inner)
    const folded = await this.fold(content, parts, { ...inner, files: dependencies.files, work })
    const isText = !folded.some(isDirective)
    return isText ? plain(content, file) : { text: content, parts: folded, file }
  }

  private addNotEvaluated({ name, at }: DirectivePart, inclusion: Inclusion): void {
    if (this.compiled) this.notEvaluated.add(this.compiled)
    this.add('not-evaluated', { message: `the directive ${JSON.stringify(name)}`, hint: '' }, at, inclusion)
  }

  private addFailure({ name, at }: DirectivePart, error: unknown, inclusion: Inclusion): void {
    const { code, message, hint } = isAgentAppsError(error) ? error : directiveFailed(name, error)
    if (code !== 'CONTENT_TOO_LARGE') return this.add('directive-failed', { message, hint }, at, inclusion)
    // The whole content is too large, no matter which directive exceeds the limit.
    if (!this.isTooLarge) this.findings.push(finding('directive-failed', this.start, message, hint))
    this.isTooLarge = true
  }

  /** Finds arguments of the library's directives that do nothing, or that fail at every call. */
  private findMisgiven(parts: readonly ContentPart[], inclusion: Inclusion): void {
    for (const directive of allDirectives(parts)) {
      if (!this.directives.isLibrarys(directive.name)) continue
      for (const found of misgivenArguments(directive)) this.add(found.rule, found, directive.at, inclusion)
    }
  }

  /** Adds a finding at its place, or at the directive in the skill's own file that includes it. */
  private add(
    rule: RuleName,
    { message, hint }: { message: string; hint: string },
    [line, column]: DirectivePart['at'],
    { way, including }: Inclusion,
  ): void {
    if (!including) this.findings.push(finding(rule, { line, column }, message, hint))
    else {
      const placed = `in ${way.at(-1)}:${line}:${column}, which it includes, ${message}`
      this.findings.push(finding(rule, placeOf(including), placed, hint))
    }
  }
}

function placeOf({ at: [line, column] }: DirectivePart): Place {
  return { line, column }
}

/** A text without directives. One with `${…}` is rendered together with the content that includes it. */
function plain(text: string, file: string): string | NestedContent {
  return text.includes(EXPRESSION_START) ? { text, parts: [[0, text.length]], file } : text
}
