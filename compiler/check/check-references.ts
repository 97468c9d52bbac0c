import { nearest } from '../../src/base/nearest.js'
import { nearTool, withLabels } from '../../src/skill/near-tool.js'
import type { ToolReference } from '../../src/skill/reference.js'
import { brokenFault, CYCLE_HINT, mendFirst, quoted } from '../../src/skill/skill-faults.js'
import { isOfHost, nearestToPattern, patternMatches } from '../diagnostics/check-patterns.js'
import { type Finding, finding, type Place, type RuleName, toDiagnostic } from '../diagnostics/diagnostics.js'
import { libraryBelow } from '../project/library.js'
import type { LinkedPart, Project } from '../project/project.js'
import {
  namedTools,
  type ProjectTool,
  type ReferenceTarget,
  ReferenceTargets,
} from '../project/reference-targets.js'
import type { ReportPart } from '../project/report.js'
import type { SkillUnit } from '../records/skill-unit.js'

/**
 * Finds references that lead nowhere, and delegates that lead to a broken tool or in a circle over several
 * directories. Only all directories together show these, so they are in no index.
 *
 * @param links whether to check links, on which the results of a compile do not depend
 */
export async function checkReferences<Part extends ReportPart>(
  parts: readonly Part[],
  project: Project,
  { links }: { links: boolean },
): Promise<Part[]> {
  const isFollowed = ({ kind }: ToolReference): boolean => kind === 'delegate' || (links && kind === 'link')
  const refers = ({ tools }: SkillUnit): boolean => tools.some(tool => tool.references.some(isFollowed))
  if (!parts.some(({ linked }) => linked.units.some(refers))) return [...parts]
  const targets = new ReferenceTargets(parts)
  const delegating: Delegating[] = []
  const unresolved: Part['unresolved'][] = parts.map(() => [])
  for (const { directory, name, file, tool } of namedTools(parts)) {
    for (const reference of tool.references) {
      if (!isFollowed(reference)) continue
      const target = targets.target(reference, { directory, name }, file)
      if (reference.kind === 'delegate') delegating.push({ directory, name, file, reference, target })
      else if (target.kind === 'none' && isMeant(reference.ref))
        unresolved[directory]?.push({
          path: file,
          finding: finding('link-missing', placeOf(reference), reference.ref),
        })
    }
  }
  const found = [
    ...(await unknownDelegates(delegating, parts, project)),
    ...brokenDelegates(delegating, parts, targets),
    ...missingDelegates(delegating, targets),
    ...circles(delegating),
  ]
  for (const { directory, path, finding } of found) unresolved[directory]?.push({ path, finding })
  return parts.map((part, directory) => ({ ...part, unresolved: unresolved[directory] }))
}

interface Delegating extends ProjectTool {
  file: string
  reference: ToolReference
  target: ReferenceTarget
}

type LocatedFinding = { directory: number; path: string; finding: Finding }

function findingAt(
  { directory, file, reference }: Omit<Delegating, 'target'>,
  rule: RuleName,
  ...found: string[]
): LocatedFinding {
  return { directory, path: file, finding: finding(rule, placeOf(reference), ...found) }
}

/**
 * Finds delegates that name a tool which no searched directory has. A program may still register such a tool.
 */
async function unknownDelegates(
  delegating: readonly Delegating[],
  parts: readonly ReportPart[],
  project: Project,
): Promise<LocatedFinding[]> {
  const unknown = delegating.filter(
    ({ reference, target }) => target.kind === 'none' && target.name === reference.ref,
  )
  if (unknown.length === 0) return []
  const library = libraryBelow(project)?.readTools().keys() ?? []
  const names = new Set([...namesIn(parts), ...(await othersNames(project)), ...library])
  return unknown
    .filter(({ reference: { ref } }) => !names.has(ref))
    .map(one => {
      const { ref } = one.reference
      return findingAt(one, 'delegate-unknown', ref, nearTool(ref, names) ?? '')
    })
}

/** Finds delegates that name a skill of the project which does not load. */
function brokenDelegates(
  delegating: readonly Delegating[],
  parts: readonly ReportPart[],
  targets: ReferenceTargets,
): LocatedFinding[] {
  return delegating.flatMap(one => {
    const { reference, target } = one
    const place = target.kind === 'file' || target.kind === 'none' ? target.path : undefined
    const tool =
      target.kind === 'tool' ? target : place === undefined ? null : targets.tools.brokenInFile(place)
    const { unit, broken } = (tool && parts[tool.directory]?.linked.names.get(tool.name)) ?? {}
    if (!unit || !broken) return []
    const { message, hint } = brokenFault(toDiagnostic(unit.path, broken))
    const problem = `the delegate ${quoted(reference.ref)} is broken: ${message}`
    return [findingAt(one, 'delegate-broken', problem, mendFirst(hint))]
  })
}

/**
 * Finds delegates whose fragment names a tool that the skill file lacks. Reading already reports a missing
 * file.
 */
function missingDelegates(delegating: readonly Delegating[], targets: ReferenceTargets): LocatedFinding[] {
  return delegating.flatMap(one => {
    const { reference, target } = one
    if (target.kind !== 'none' || target.path === undefined || target.fragment === undefined) return []
    const names = targets.namesIn(target.path)
    if (!names?.length || names.includes(target.fragment) || targets.tools.brokenInFile(target.path))
      return []
    const near = nearest(target.fragment, names)
    const hint = near === null ? `It has ${names.map(quoted).join(', ')}.` : `Did you mean "${near}"?`
    const problem = `the file has no tool ${quoted(target.fragment)}`
    return [findingAt(one, 'delegate-invalid', reference.ref, problem, hint)]
  })
}

/**
 * Finds delegates that lead back to their tool through another directory; linking finds those within one
 * directory. Each tool has one delegate at most, so it is in one circle at most.
 */
function circles(delegating: readonly Delegating[]): LocatedFinding[] {
  const byTool = new Map(delegating.map(one => [idOf(one), one]))
  const visited = new Set<Delegating>()
  const findings: LocatedFinding[] = []
  for (const first of delegating) {
    const way: Delegating[] = []
    let at: Delegating | undefined = first
    while (at && !visited.has(at)) {
      visited.add(at)
      way.push(at)
      at = at.target.kind === 'tool' ? byTool.get(idOf(at.target)) : undefined
    }
    const circle = at && way.includes(at) ? way.slice(way.indexOf(at)) : []
    if (new Set(circle.map(({ directory }) => directory)).size < 2) continue
    for (const [index, one] of circle.entries()) {
      const names = [...circle.slice(index), ...circle.slice(0, index + 1)].map(({ name }) => name)
      const problem = `it leads back here: ${names.join(' → ')}`
      findings.push(findingAt(one, 'delegate-invalid', one.reference.ref, problem, CYCLE_HINT))
    }
  }
  return findings
}

function idOf({ directory, name }: ProjectTool): string {
  return `${directory}/${name}`
}

function placeOf({ line, column }: ToolReference): Place {
  return { line, column }
}

/** Links that are not meant as paths: single words, host names without a scheme, and placeholders. */
const NOT_MEANT =
  /^[^./]*$|\\|^(?:www\.|[\w-]+(?:\.[\w-]+)*\.(?:com|dev|io|net|org)(?:[/?#]|$))|(?:^|\/)(?:path\/to|your-[^/]*)(?:\/|$)/i

function isMeant(ref: string): boolean {
  return !NOT_MEANT.test(ref.replace(/[?#].*$/s, ''))
}

/**
 * Finds the patterns of `allowed-tools` that match no tool of any searched directory, each with the name
 * that was probably meant, or an empty string. Only all directories together show these, so they are in no
 * index.
 */
export async function unmatchedPatterns(
  parts: readonly LinkedPart[],
  project: Project,
): Promise<ReadonlyMap<string, string>> {
  const suspected = new Set(parts.flatMap(suspects).filter(one => !isOfHost(one, project.hostTools)))
  if (suspected.size === 0) return new Map()
  const names = new Set(namesIn(parts))
  const unmatched = [...suspected].filter(pattern => !patternMatches(pattern, names))
  if (unmatched.length === 0) return new Map()
  const theirs = new Set(await othersNames(project))
  const all = new Set([...names, ...theirs])
  return new Map(
    unmatched
      .filter(pattern => !patternMatches(pattern, theirs))
      .map(pattern => [pattern, nearestToPattern(pattern, all) ?? '']),
  )
}

/** The patterns that match no tool of the library or of another host. */
function suspects({ linked: { units, findings } }: LinkedPart): string[] {
  return units
    .flatMap(({ path, findings: own }) => [...own, ...(findings.get(path) ?? [])])
    .filter(({ rule }) => rule === 'pattern-unmatched')
    .map(({ found: [pattern = ''] }) => pattern)
}

/** The names of all tools of the directories that a project searches, with and without their namespaces. */
export async function knownNames(
  parts: readonly LinkedPart[],
  project: Project,
): Promise<ReadonlySet<string>> {
  return new Set([...namesIn(parts), ...(await othersNames(project))])
}

function namesIn(parts: readonly LinkedPart[]): string[] {
  return withLabels(parts.flatMap(({ linked }) => [...linked.names.keys()]))
}

/** The names in other people's directories, which are read only where they may matter. */
async function othersNames(project: Project): Promise<string[]> {
  return withLabels((await project.readOthers()).flatMap(({ names }) => names.names()))
}
