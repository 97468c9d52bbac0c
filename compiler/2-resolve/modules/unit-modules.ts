import { hash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isJsonObject } from '../../../src/base/json.js'
import { digestedFiles } from '../../../src/index/digested-texts.js'
import type { ModuleRecord } from '../../../src/index/index-format.js'
import { isInside } from '../../../src/index/inside-path.js'
import { readFrontmatter } from '../../../src/skill/role-meant.js'
import { checkSchemas } from '../../diagnostics/check-schemas.js'
import { FILE_START, type Finding, finding, type Place } from '../../diagnostics/diagnostics.js'
import { forbiddenKeyIn } from '../../diagnostics/forbidden-keys.js'
import { digestInputs } from '../../esbuild/import-bundled.js'
import { importHint } from '../../esbuild/import-hint.js'
import type { ModuleFailure, ModuleSource } from '../../esbuild/module-source.js'
import { limits } from '../../files/limits.js'
import type { RecordedIndex } from '../../index/recorded-index.js'
import { type CachedModule, type CompileCache, isAsMade } from '../../records/compile-cache.js'
import {
  cascadeInput,
  type FreshRecords,
  isReadAnew,
  type SkillUnit,
  type UnitSource,
  type UnitTool,
} from '../../records/skill-unit.js'
import {
  EVALUATION_RULES,
  type EvaluationResult,
  evaluateModules,
  evaluationFault,
} from './evaluate-modules.js'

export interface UnitModules {
  /** Modules by source key. */
  modules: Map<string, CachedModule>
  failures: Map<string, ModuleFailure[]>
  /** New files to write, by path relative to the directory; empty if the last compile's are still valid. */
  outputs: Map<string, Uint8Array>
  /** All files that modules consist of, relative to the directory. */
  files: string[]
}

export const NO_MODULES: UnitModules = {
  modules: new Map(),
  failures: new Map(),
  outputs: new Map(),
  files: [],
}

/** The modules of the last compile, where no source and no file that is in them changed; else new ones. */
export async function bundleUnits(
  directory: string,
  units: readonly SkillUnit[],
  cache: CompileCache | null,
  isSame: (path: string) => boolean,
  external: readonly string[],
): Promise<UnitModules> {
  const sources = new Map(
    units.flatMap(unit => unit.sources.map(source => [source.key, { unit, source }] as const)),
  )
  if (sources.size === 0) return NO_MODULES
  if (cache && areStillValid(directory, sources, cache, isSame)) {
    return { modules: cache.modules, failures: new Map(), outputs: new Map(), files: cache.moduleFiles }
  }
  const wanted = new Map(
    [...sources].map(([key, { unit, source }]) => [key, moduleSource(directory, unit, source)]),
  )
  const { bundleModules } = await import('../../esbuild/bundle-modules.js')
  const { modules, failures, outputs } = await bundleModules(directory, wanted, { external })
  return {
    modules: new Map(
      [...modules].map(([key, { file, inputs }]) => [
        key,
        { file, inputs: inputs.map(input => relative(directory, input).replaceAll('\\', '/')) },
      ]),
    ),
    failures,
    outputs,
    files: [...outputs.keys()].sort(),
  }
}

function areStillValid(
  directory: string,
  sources: ReadonlyMap<string, unknown>,
  cache: CompileCache,
  isSame: (path: string) => boolean,
): boolean {
  const { modules, moduleFiles } = cache
  return (
    modules.size === sources.size &&
    [...sources.keys()].every(key => modules.has(key)) &&
    [...new Set([...modules.values()].flatMap(({ inputs }) => inputs))].every(isSame) &&
    moduleFiles.every(file => isAsMade(directory, file, cache))
  )
}

function moduleSource(directory: string, unit: SkillUnit, { file, code = '' }: UnitSource): ModuleSource {
  return file === undefined ? { code, from: join(directory, unit.path) } : { file: join(directory, file) }
}

/** The units whose records of the last compile name modules that are no longer theirs. */
export function unitsWithNewModules(
  units: readonly SkillUnit[],
  { modules }: UnitModules,
  cache: CompileCache | null,
): SkillUnit[] {
  return units.filter(
    unit =>
      unit.sources.some(({ key }) => modules.get(key)?.file !== cache?.modules.get(key)?.file) &&
      !unit.tools.every(isReadAnew),
  )
}

interface AttachOptions {
  /** The last compile's records of modules that are not run; null without any. */
  recorded?: RecordedIndex | null
  /** Calls `run` while the files of modules lie in the directory. Absent where no module is run. */
  withModules?: (outputs: ReadonlyMap<string, Uint8Array>, run: () => Promise<void>) => Promise<void>
}

/**
 * Adds modules to the units' records, and runs those whose metadata is known only by running them. Code that
 * cannot be bundled, throws, hangs or exits breaks its own unit alone. Where nothing is run, the records that
 * an index has of unchanged code are used instead.
 */
export async function attachModules(
  directory: string,
  units: readonly SkillUnit[],
  bundled: UnitModules,
  { recorded, withModules }: AttachOptions,
): Promise<void> {
  const toRun: { unit: SkillUnit; tools: UnitTool[] }[] = []
  for (const unit of units) {
    reportFailures(directory, unit, bundled)
    const running = toolsToRun(unit)
    if (running.length > 0) toRun.push({ unit, tools: running })
  }
  if (withModules && toRun.length > 0) {
    await withModules(bundled.outputs, () => runUnits(directory, toRun, bundled))
  } else if (recorded !== undefined) {
    for (const { unit, tools } of toRun) takeRecorded(unit, tools, bundled, recorded)
  }
  for (const { findings, tools } of units) {
    const dynamic = tools.flatMap(({ fresh }) => fresh?.code?.dynamic ?? [])
    findings.push(...dynamic.slice(0, limits.findingsPerRule))
    for (const { fresh } of tools) if (fresh) attach(directory, fresh, bundled)
  }
}

/**
 * The tools of a unit whose module must be run to know their metadata, or to know that it can be imported.
 */
function toolsToRun({ tools }: SkillUnit): UnitTool[] {
  return tools.filter(({ fresh }) => fresh?.code && (fresh.code.dynamic.length > 0 || fresh.code.hasEffects))
}

function attach(directory: string, fresh: FreshRecords, { modules }: UnitModules): void {
  const { record, code, delegateKey } = fresh
  const own = code && modules.get(record.file)
  if (own) record.module = moduleRecord(directory, own)
  const delegate = delegateKey === undefined ? undefined : modules.get(delegateKey)
  if (delegate) record.delegate = moduleRecord(directory, delegate)
}

function moduleRecord(directory: string, { file, inputs }: CachedModule): ModuleRecord {
  const inside = inputs.filter(isInside)
  if (inside.length === inputs.length) return { file, inputs }
  const outside = inputs.filter(input => !isInside(input))
  return {
    file,
    inputs: inside,
    outside: hash('sha256', digestedFiles(digestInputs(realpathSync.native(directory), outside))),
  }
}

function reportFailures(directory: string, unit: SkillUnit, { failures }: UnitModules): void {
  for (const { key, file } of unit.sources) {
    const own = failures.get(key) ?? []
    const problems = own.map(failure => problemIn(directory, unit, failure))
    if (file === unit.path) {
      const [first, ...more] = problems.map(({ place, problem }) => finding('code-import', place, problem))
      if (first) breakUnit(unit, first)
      for (const one of more) unit.findings.push(one)
      continue
    }
    const tool = unit.tools.find(({ fresh }) => fresh?.delegateKey === key)
    const delegate = String(tool?.fresh?.record.frontmatter.metadata.delegate ?? key).slice(0, 80)
    const place = tool?.fresh?.delegatePlace ?? tool?.place ?? FILE_START
    for (const { problem } of problems)
      unit.findings.push(finding('delegate-invalid', place, delegate, problem, importHint(problem)))
  }
}

/**
 * A failure as a unit's diagnostic shows it: at its place, or with the place in the message where that is in
 * another file.
 */
function problemIn(
  directory: string,
  { path }: SkillUnit,
  failure: ModuleFailure,
): { place: Place; problem: string } {
  const { file, line, column, message } = failure
  if (file?.endsWith(`/${path}`)) return { place: { line, column }, problem: message }
  const elsewhere = shownPlace(directory, failure)
  return { place: FILE_START, problem: elsewhere === '' ? message : `${elsewhere}: ${message}` }
}

/** The place of a failure, relative to the directory; empty where it is in no file. */
function shownPlace(directory: string, { file, line, column }: ModuleFailure): string {
  if (file === null) return ''
  const path = relative(realpathSync.native(directory), file).replaceAll('\\', '/')
  return `${path}:${line}:${column}`
}

async function runUnits(
  directory: string,
  toRun: { unit: SkillUnit; tools: UnitTool[] }[],
  bundled: UnitModules,
): Promise<void> {
  const evaluations = toRun.flatMap(({ unit, tools }) => {
    const module = bundled.modules.get(unit.path)
    const file = module && join(directory, module.file)
    const exports = tools.flatMap(({ fresh }) => fresh?.code?.exported ?? [])
    return file !== undefined && existsSync(file) ? [{ unit, tools, file, exports }] : []
  })
  const results = await evaluateModules(evaluations)
  for (const [index, { unit, tools }] of evaluations.entries()) {
    const result = results[index]
    if (result) applyResult(unit, tools, result)
  }
}

/**
 * Reports that a unit's code was not run, and takes the index's records of the unit where the code did not
 * change.
 */
function takeRecorded(
  unit: SkillUnit,
  tools: UnitTool[],
  { modules, outputs }: UnitModules,
  recorded: RecordedIndex | null,
): void {
  const file = modules.get(unit.path)?.file ?? ''
  const contents = outputs.get(file)
  if (contents === undefined) return
  unit.findings.push(finding('not-evaluated', FILE_START, 'what its code says when it is run'))
  const isSame =
    recorded?.has(unit.path, unit) &&
    recorded.has(file, { size: contents.length, sha256: hash('sha256', contents) })
  if (!recorded || !isSame) return
  const problem = recorded.findings(unit.path).find(({ rule }) => EVALUATION_RULES.has(rule))
  if (problem) return breakUnit(unit, problem)
  const frontmatter = tools.flatMap(({ name, fresh }) => {
    const verbatim = recorded.verbatim(name)
    return fresh?.code && verbatim ? [[fresh.code.exported, verbatim] as const] : []
  })
  for (const { name } of tools) {
    const broken = recorded.broken(name)
    if (broken?.rule === 'schema-unsupported') breakTool(unit, name, broken)
  }
  applyResult(unit, tools, { frontmatter: new Map(frontmatter), unsupported: new Map() })
}

function applyResult(
  unit: SkillUnit,
  tools: UnitTool[],
  { frontmatter, unsupported, problem }: EvaluationResult,
): void {
  if (problem) {
    breakUnit(
      unit,
      evaluationFault(problem, unit.path, at => dynamicPlace(tools, at)),
    )
    return
  }
  for (const { fresh, name, place } of tools) {
    const schemaPlace = (part: string): Place => placeIn(fresh?.code?.dynamic, `metadata.${part}`) ?? place
    const schema = fresh?.code && unsupported.get(fresh.code.exported)
    if (schema) {
      const { part, message, hint } = schema
      breakTool(unit, name, finding('schema-unsupported', schemaPlace(part), message, hint))
      continue
    }
    const verbatim = fresh?.code && frontmatter.get(fresh.code.exported)
    // Literal values are taken from the file, so that they do not depend on whether code is run.
    if (!fresh?.code || fresh.code.dynamic.length === 0 || !verbatim) continue
    const key = forbiddenKeyIn(verbatim)
    if (key !== null) {
      breakUnit(unit, finding('forbidden-key', fresh.code.dynamic[0]?.place ?? FILE_START, key))
      return
    }
    fresh.details = { ...fresh.details, verbatim }
    fresh.record.frontmatter = readFrontmatter(verbatim, { kind: 'code', name })
    const known = new Set(
      unit.findings.filter(({ rule }) => rule === 'schema-invalid').map(({ found: [part] }) => part),
    )
    const metadata = isJsonObject(verbatim.metadata) ? verbatim.metadata : {}
    unit.findings.push(...checkSchemas(metadata, schemaPlace).filter(({ found: [part] }) => !known.has(part)))
    fresh.code.dynamic = []
  }
}

/** The place of a value that is known only from running the code. */
function dynamicPlace(
  tools: readonly UnitTool[],
  { exported, path }: { exported: string; path: string },
): Place {
  const tool = tools.find(({ fresh }) => fresh?.code?.exported === exported)
  const dynamic = tool?.fresh?.code?.dynamic
  return placeIn(dynamic, path) ?? dynamic?.[0]?.place ?? tool?.place ?? FILE_START
}

/** The place of the computed value that contains a path, or lies inside it. */
function placeIn(dynamic: readonly Finding[] = [], path: string): Place | undefined {
  const isNear = ({ found: [field = ''] }: Finding): boolean =>
    path.startsWith(field) || field.startsWith(path)
  return dynamic.find(isNear)?.place
}

/** Keeps one of a unit's tools from loading. */
function breakTool(unit: SkillUnit, name: string, why: Finding): void {
  unit.findings.push(why)
  unit.broken.push({ name, finding: why })
  unit.tools = unit.tools.filter(tool => tool.name !== name)
}

function breakUnit(unit: SkillUnit, why: Finding): void {
  unit.findings.push(why)
  for (const { name } of unit.tools) unit.broken.push({ name, finding: why })
  if (unit.tools.some(tool => cascadeInput(tool)?.role === 'main'))
    unit.findings.push(finding('main-broken', why.place))
  unit.tools = []
}
