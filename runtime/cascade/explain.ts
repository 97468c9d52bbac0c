import { disk } from '#disk'
import { isAgentAppsError } from '../../src/base/error.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.js'
import { problemFor } from '../../src/cascade/problems.js'
import type {
  CascadeEntry,
  CascadeLayer,
  CascadeProblem,
  CascadeResolution,
  ResolvedCascade,
  ValueOrigin,
} from '../../src/cascade/types.js'
import { EXPRESSION_START } from '../../src/content/interpolate.js'
import { checkSchema } from '../../src/schema/check-schema.js'
import { interpretSchema } from '../../src/schema/interpret-schema.js'
import { shownPath } from '../../src/schema/issues.js'
import type { HookTrigger } from '../../src/skill/metadata-keys.js'
import { namespaceOf } from '../../src/skill/names.js'
import { parseInline } from '../../src/skill/reference.js'
import {
  brokenFault,
  CYCLE_HINT,
  mendFirst,
  middlewareConfigFault,
  quoted,
} from '../../src/skill/skill-faults.js'
import { diagnosticInEntry } from '../directory/directory-diagnostics.js'
import { pathsKey } from '../directory/look-up.js'
import { writtenPlace } from '../directory/written-place.js'
import { toolNotFound } from '../find/call-faults.js'
import { delegateSource, delegateTarget } from '../find/delegate-source.js'
import { requireTool, resolveWithin } from '../find/require-tool.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { chainOf } from './chain-of.js'
import { peersOf } from './cyclic-peers.js'
import { problemsOf, resolveAll, toolId } from './resolve-cascade.js'

/** The place in which a value of a tool's effective metadata was written. */
export interface ExplainedOrigin {
  /** The value as it was written there. */
  value: JsonValue
  /** The source: the tool itself, a base, or a promotion. */
  layer: CascadeLayer
  /** The tool that wrote it. */
  tool: string
  /** Its file, absolute; null for a tool that a program registered. */
  file: string | null
  /** From 1; null where there is no file, or no reader of it. */
  line: number | null
}

/** A middleware around a tool. */
export interface ExplainedStep {
  /** The middleware's name. */
  name: string
  /** `static`: called directly, without a chain of its own. */
  mode: 'static' | 'dynamic'
  /** Its configuration: the value of its key. */
  args: JsonValue
  /** Set if it wraps every entry, or the whole call. */
  hook?: HookTrigger[]
  /** Why its `params` refuse `args`. The library's does not run then; another one decides for itself. */
  problem?: { message: string; hint: string }
}

/** How a tool's effective metadata and its chain came about. */
export interface Explanation {
  name: string
  /** Keyed by metadata key, in the order of the chain. `overrides`: the values of weaker layers, strongest first. */
  metadata: Record<string, ExplainedOrigin & { overrides: ExplainedOrigin[] }>
  /** The middlewares around the tool, outermost first. */
  chain: ExplainedStep[]
  /** The paths that `${…}` in the chain's arguments reads, sorted. */
  deps: string[]
  /** The tools that use it as middleware and are used by it. */
  peers: string[]
  /** The faults of its metadata: as long as there is one, the tool is not run. */
  problems: { message: string; hint: string }[]
}

/**
 * Says of every effective key of a tool where it came from and what it overrode, and what runs around the
 * tool.
 *
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN
 */
export async function explain(ref: string, globals: Globals): Promise<Explanation> {
  const tool = await requireTool(ref, globals)
  const { resolution, toolOfId } = await resolveAll(tool, globals)
  const root = toolId(tool)
  const resolved = resolution.tools.get(root)
  const metadata: Explanation['metadata'] = {}
  for (const [key, { value, from, overrides }] of resolved?.metadata ?? []) {
    metadata[key] = {
      ...(await explained(from, toolOfId, globals)),
      value,
      overrides: await Promise.all(overrides.map(one => explained(one, toolOfId, globals))),
    }
  }
  const told = (problem: Pick<CascadeProblem, 'tool' | 'message' | 'hint'>): Problem =>
    problemFor(root, problem, id => toolOfId(id).name)
  const run = idsOfChains(root, resolution)
  const faults = [...new Set(run.flatMap(id => problemsOf(toolOfId(id), resolution)))].map(told)
  // A tool that can run is explained as it runs.
  const isRun = faults.length === 0 && (await canRun(tool, globals))
  const steps = run.flatMap(id =>
    (resolution.tools.get(id)?.chain ?? []).map(entry => {
      const middleware = toolOfId(entry.tool)
      return { id, middleware, step: explainedStep(entry, middleware) }
    }),
  )
  const refused = steps.flatMap(({ id, middleware, step: { problem } }) =>
    problem && middleware.origin.layer === 'bundled' ? [told({ tool: id, ...problem })] : [],
  )
  const delegates: Problem[] = []
  const delegate = resolved?.metadata.get('delegate')
  const body = delegate && (await delegateProblem(delegate.value, toolOfId(delegate.from.tool), globals))
  if (body) delegates.push(body)
  for (const middleware of new Set(steps.map(step => step.middleware))) {
    const problem = await delegateProblem(middleware.frontmatter.metadata.delegate, middleware, globals)
    if (problem) delegates.push(told({ tool: toolId(middleware), ...problem }))
  }
  return {
    name: tool.name,
    metadata,
    chain: steps.filter(({ id }) => id === root).map(({ step }) => step),
    deps: [...(isRun ? depsOf(tool, globals) : (resolved?.deps ?? []))],
    peers: await peersOf(tool, [...resolution.tools.values()], id => toolOfId(id).name, globals),
    problems: [...faults, ...refused, ...delegates, ...paramsProblem(tool, resolved)],
  }
}

type Problem = Explanation['problems'][number]

/** The tools that run inside a chain of their own when one is called: itself, and dynamic middleware at any depth. */
function idsOfChains(root: string, { tools }: CascadeResolution): string[] {
  const ids = new Set([root])
  for (const id of ids)
    for (const { tool, static: isStatic, hook } of tools.get(id)?.chain ?? [])
      if (!isStatic && !hook) ids.add(tool)
  return [...ids]
}

/** A schema of arguments that refuses every call, since it cannot be used. */
function paramsProblem({ frontmatter, validate }: ToolDef, resolved: ResolvedCascade | undefined): Problem[] {
  const params = frontmatter.params ?? resolved?.metadata.get('params')?.value
  if (!isJsonObject(params) || '$resolve' in params || validate === 'owner') return []
  const checked = checkSchema(params)
  if (!('problem' in checked)) return []
  const { path, reason } = checked.problem
  const place = shownPath(['params', ...path])
  return [{ message: `${place}: ${reason}`, hint: 'Correct the schema.' }]
}

function explainedStep(
  { name, args, static: isStatic, hook }: CascadeEntry,
  middleware: ToolDef,
): ExplainedStep {
  const problem = configProblem(name, args, middleware)
  return {
    name,
    mode: isStatic ? 'static' : 'dynamic',
    args,
    ...(hook && { hook }),
    ...(problem && { problem }),
  }
}

/**
 * Why a middleware's `params` refuse its configuration. What `${…}` is filled into is known only when it
 * runs.
 */
function configProblem(name: string, args: JsonValue, middleware: ToolDef): ExplainedStep['problem'] {
  const { params } = middleware.frontmatter
  const isOpen = sourceOf(middleware)?.record.dynamic || JSON.stringify(args).includes(EXPRESSION_START)
  if (!params || '$resolve' in params || isOpen) return undefined
  const checked = checkSchema(params)
  const [issue] = 'problem' in checked ? [] : interpretSchema(params, checked, args)
  return issue && middlewareConfigFault(name, issue.message)
}

/** False for a tool that a faulty index keeps from running. */
async function canRun(tool: ToolDef, globals: Globals): Promise<boolean> {
  try {
    await chainOf(tool, globals)
    return true
  } catch (error) {
    if (isAgentAppsError(error)) return false
    throw error
  }
}

function depsOf({ name }: ToolDef, globals: Globals): readonly string[] {
  return globals.cache.cascadeDeps.get(`${name}\0${pathsKey(globals)}`) ?? []
}

async function explained(
  { layer, tool: id, path, value }: ValueOrigin,
  toolOfId: (id: string) => ToolDef,
  globals: Globals,
): Promise<ExplainedOrigin> {
  const writer = toolOfId(id)
  const place = await writtenPlace(writer, path, globals)
  return {
    value,
    layer,
    tool: writer.name,
    file: place?.file ?? null,
    line: place?.position?.line ?? null,
  }
}

const HINT = 'Give the name of a tool, a path relative to the file, or an `inline://` text.'

/**
 * Finds why a delegate cannot be called, as far as that is known without running code; null where it can.
 *
 * @param writer the tool whose metadata has the delegate
 */
async function delegateProblem(
  delegate: JsonValue | undefined,
  writer: ToolDef,
  globals: Globals,
): Promise<Problem | null> {
  const source = sourceOf(writer)
  // Null takes an inherited one away, and what a program registers is a function.
  if (delegate === undefined || delegate === null || !source) return null
  if (typeof delegate !== 'string')
    return { message: `the delegate ${JSON.stringify(delegate)} is not a string`, hint: HINT }
  if (delegate.startsWith('inline://')) return inlineProblem(delegate)
  const code = delegateSource(source)
  if (code !== null) {
    const isThere = source.record.delegate || !('file' in code) || disk.stat(code.file) !== null
    return isThere ? null : { message: `the delegate ${quoted(delegate)} is not a file`, hint: HINT }
  }
  const target = delegateTarget(delegate, source)
  const found = await resolveWithin(namespaceOf(writer.name), target, globals)
  if (found?.broken) {
    const broken = diagnosticInEntry(found.broken, globals) ?? found.broken
    const { message, hint } = brokenFault(broken)
    return { message: `the delegate ${quoted(delegate)} is broken: ${message}`, hint: mendFirst(hint) }
  }
  if (found) {
    const way = await wayRound(writer, globals)
    const back = way && `the delegate ${quoted(delegate)} leads back here: ${way.join(' → ')}`
    return back ? { message: back, hint: CYCLE_HINT } : null
  }
  const { hint } = await toolNotFound(target, globals)
  return { message: `the delegate ${quoted(delegate)} leads to no tool`, hint }
}

/** The names on the way of delegates from a tool back to itself; null where it does not come back. */
async function wayRound(first: ToolDef, globals: Globals): Promise<string[] | null> {
  const way: ToolDef[] = []
  for (let at: ToolDef | null = first; at && !way.includes(at); ) {
    way.push(at)
    const source = sourceOf(at)
    const { delegate }: JsonObject = at.frontmatter.metadata
    if (!source || typeof delegate !== 'string' || delegate.startsWith('inline://')) return null
    if (delegateSource(source) !== null) return null
    const target = delegateTarget(delegate, source)
    at = (await resolveWithin(namespaceOf(at.name), target, globals))?.tool ?? null
    if (at === first) return [...way, first].map(({ name }) => name)
  }
  return null
}

function inlineProblem(delegate: string): Problem | null {
  try {
    parseInline(delegate)
    return null
  } catch (error) {
    if (!isAgentAppsError(error)) throw error
    return { message: error.message.replace(/^T/, 't').replace(/\.$/, ''), hint: error.hint }
  }
}
