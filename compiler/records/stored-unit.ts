import type { FileDigest } from '../../src/index/index-format.js'
import type { ReferenceKind } from '../../src/skill/reference.js'
import { type Finding, isRuleName, type RuleName } from '../diagnostics/diagnostics.js'
import {
  type CascadeInput,
  cascadeInput,
  directivesOf,
  type KnownTool,
  type SkillUnit,
  type UnitSource,
  type UnitTool,
} from './skill-unit.js'

/**
 * A unit as the cache has it: tuples, because ten thousand of them are read at every start. Most are a single tool
 * with few properties.
 */
export type StoredUnit = PlainUnit | WholeUnit

type PlainUnit = [
  path: string,
  shape: string,
  name: string,
  line: number,
  column: number,
  catalogTokens: number,
  cascade?: CascadeInput,
]
type WholeUnit = [
  path: string,
  shape: string,
  tools: StoredTool[],
  broken: [name: string, finding: StoredFinding][],
  findings: StoredFinding[],
  sources: UnitSource[],
  ignored: readonly string[],
]
type StoredTool = [
  name: string,
  line: number,
  column: number,
  catalogTokens: number,
  written: boolean,
  cascade: CascadeInput | null,
  delegate: [ref: string, line: number, column: number] | null,
  content: [directives: readonly string[], included: string[]] | null,
  references: StoredReference[],
  validators: string[],
]
type StoredReference = [kind: ReferenceKind, ref: string, line: number, column: number]
export type StoredFinding = [rule: string, line: number, column: number, ...found: string[]]

/** @param isWritten true for a tool that has its name, so that its records are in the index */
export function storeUnit(unit: SkillUnit, isWritten: (tool: UnitTool) => boolean): StoredUnit {
  const plain = plainUnit(unit, isWritten)
  if (plain !== null) return plain
  const { path, shape, tools, broken, findings, sources, ignored = [] } = unit
  const stored = tools.map(tool => storeTool(tool, isWritten(tool)))
  const wrong = broken.map((one): WholeUnit[3][number] => [one.name, storeFinding(one.finding)])
  return [path, shape, stored, wrong, findings.map(storeFinding), sources, ignored]
}

/** A unit of one tool and nothing else that a cache keeps; null for any other. */
function plainUnit(
  { path, shape, tools, broken, findings, sources, ignored = [] }: SkillUnit,
  isWritten: (tool: UnitTool) => boolean,
): PlainUnit | null {
  const [tool] = tools
  const others = tools.length - 1 + broken.length + findings.length + sources.length + ignored.length
  if (!tool || others > 0 || !isWritten(tool)) return null
  const { name, place, catalogTokens = 0, delegate, references, validators = [] } = tool
  if (delegate || references.length + validators.length + directivesOf(tool).length > 0) return null
  const cascade = cascadeInput(tool)
  const { line, column } = place
  return cascade
    ? [path, shape, name, line, column, catalogTokens, cascade]
    : [path, shape, name, line, column, catalogTokens]
}

/**
 * The unit as it was stored. Its parts are taken one by one: taking a tuple apart by a pattern takes several times as
 * long.
 */
export function readUnit(stored: StoredUnit, { size, sha256 }: FileDigest): SkillUnit {
  const path = stored[0]
  const shape = stored[1]
  if (!isWhole(stored)) {
    const tool: KnownTool = {
      name: stored[2],
      place: { line: stored[3], column: stored[4] },
      written: true,
      references: [],
      cascade: stored[6],
      catalogTokens: stored[5],
      directives: [],
    }
    return { path, shape, size, sha256, tools: [tool], broken: [], findings: [], sources: [] }
  }
  const ignored = stored[6]
  return {
    path,
    shape,
    size,
    sha256,
    tools: stored[2].map(readTool),
    broken: stored[3].map(one => ({ name: one[0], finding: readFinding(one[1]) })),
    findings: stored[4].map(readFinding),
    ...(ignored.length > 0 && { ignored: ignored.filter(isRuleName) }),
    sources: stored[5],
  }
}

function isWhole(stored: StoredUnit): stored is WholeUnit {
  return typeof stored[2] !== 'string'
}

function storeTool(tool: UnitTool, written: boolean): StoredTool {
  const { name, place, catalogTokens = 0, delegate, references, validators = [], included = [] } = tool
  const directives = directivesOf(tool)
  return [
    name,
    place.line,
    place.column,
    catalogTokens,
    written,
    cascadeInput(tool) ?? null,
    delegate ? [delegate.ref, delegate.place.line, delegate.place.column] : null,
    directives.length > 0 ? [directives, included] : null,
    references.map(({ kind, ref, line, column }): StoredReference => [kind, ref, line, column]),
    validators,
  ]
}

function readTool(stored: StoredTool): KnownTool {
  const delegate = stored[6]
  const content = stored[7]
  return {
    name: stored[0],
    place: { line: stored[1], column: stored[2] },
    written: stored[4],
    references: stored[8].map(([kind, ref, line, column]) => ({ kind, ref, line, column })),
    cascade: stored[5] ?? undefined,
    catalogTokens: stored[3],
    ...(delegate && { delegate: { ref: delegate[0], place: { line: delegate[1], column: delegate[2] } } }),
    directives: content?.[0] ?? [],
    ...(content && { included: content[1] }),
    ...(stored[9].length > 0 && { validators: stored[9] }),
  }
}

/** Faults that lie in more than the file itself, so that a file which did not change can be rid of them. */
const RECHECKED: readonly RuleName[] = [
  'code-import',
  'code-throws',
  'code-hangs',
  'code-exits',
  'delegate-invalid',
]

/** True for a unit without faults that may depend on other files. */
export function isCacheable({ findings }: SkillUnit): boolean {
  return !findings.some(({ rule }) => RECHECKED.includes(rule))
}

export function storeFinding({ rule, place, found }: Finding): StoredFinding {
  return [rule, place.line, place.column, ...found]
}

export function readFinding([rule, line, column, ...found]: StoredFinding): Finding {
  if (!isRuleName(rule)) throw new Error(`unknown rule ${rule}`)
  return { rule, place: { line, column }, found }
}
