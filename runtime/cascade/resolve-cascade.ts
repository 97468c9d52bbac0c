import { AgentAppsError } from '../../src/base/error.js'
import type { JsonObject } from '../../src/base/json.js'
import { type Promotion, readAnnotations } from '../../src/cascade/annotations.js'
import { resolveCascades } from '../../src/cascade/cascade.js'
import { valueFaults } from '../../src/cascade/metadata-faults.js'
import { problemFor } from '../../src/cascade/problems.js'
import {
  type CascadeLookUp,
  type CascadeProblem,
  type CascadeResolution,
  type CascadeTool,
  cascadeFields,
} from '../../src/cascade/types.js'
import { namespaceOf } from '../../src/skill/names.js'
import { nearTool } from '../../src/skill/near-tool.js'
import { mainFault } from '../../src/skill/skill-faults.js'
import { writtenPlace } from '../directory/written-place.js'
import { knownNames } from '../find/call-faults.js'
import { authorityOf, type Main, namespaceMain, rootMain } from '../find/find-authority.js'
import type { KnownCascade } from '../state/chain.js'
import type { Globals, Promotions } from '../state/context.js'
import { type DirectoryState, isOwn, reachesOut } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { cascadeInvalid } from './cascade-faults.js'
import { middlewareFor } from './compiled-chain.js'
import { completePeers } from './cyclic-peers.js'
import { findBase } from './find-base.js'
import { inheritedParts, knownCascade, makeChain, makeStep } from './make-chain.js'

/** Resolves a tool's cascade from what the runtime finds: for what was not compiled, or changed since. */
export async function resolveCascade(tool: ToolDef, globals: Globals): Promise<KnownCascade> {
  const { resolution, toolOfId, passed } = await resolveAll(tool, globals)
  const root = toolId(tool)
  const resolved = resolution.tools.get(root)
  const sources = resolved?.sources ?? []
  const [problem] = problemsOf(tool, resolution)
  if (problem) {
    const said = problemFor(root, problem, id => toolOfId(id).name)
    throw cascadeInvalid(tool, said, await writtenPlace(toolOfId(problem.tool), problem.path, globals))
  }
  completePeers(resolution.tools.values(), id => toolOfId(id).name, globals)
  const steps = (resolved?.chain ?? []).map(entry => makeStep(entry, toolOfId(entry.tool)))
  const delegate = resolved?.metadata.get('delegate')?.from
  const body = delegate && delegate.layer !== 'own' ? toolOfId(delegate.tool) : undefined
  const parts = inheritedParts(tool, body, key => resolved?.metadata.get(key)?.value)
  return knownCascade(tool, {
    chain: makeChain(steps, parts),
    keys: [...(resolved?.metadata.keys() ?? [])],
    ...(resolved && { deps: resolved.deps }),
    sources: [...sources.map(toolOfId), ...passed],
  })
}

/** The problems that keep a tool from running: its own, and those of the tools whose metadata it inherits. */
export function problemsOf(tool: ToolDef, { tools, problems }: CascadeResolution): CascadeProblem[] {
  const id = toolId(tool)
  const sources = tools.get(id)?.sources ?? []
  const own = problems.filter(one => one.tool === id)
  return [...own, ...problems.filter(one => one.tool !== id && sources.includes(one.tool))]
}

/**
 * Resolves a tool's cascade. Gives it with the tool of each of its ids, and the tools that have a
 * middleware's name and another role.
 */
export async function resolveAll(tool: ToolDef, globals: Globals) {
  const tools = new Map<string, ToolDef>()
  const passed: ToolDef[] = []
  const seen = (one: ToolDef | null): CascadeTool | null => {
    if (one === null) return null
    tools.set(toolId(one), one)
    return cascadeTool(one)
  }
  const toolOfId = (id: string): ToolDef => {
    const one = tools.get(id)
    if (!one) throw new Error(`The cascade names ${id}, which was not looked up.`)
    return one
  }
  const seenMain = (main: Main | null): CascadeTool | null =>
    main?.fault ? faulty(main.path, mainFault(main.fault)) : seen(main?.tool ?? null)
  const home = sourceOf(tool)?.state
  // A project that is not trusted reaches its own tools alone.
  const mayReach = (state: DirectoryState): boolean =>
    reachesOut(state, globals) || (home !== undefined && !reachesOut(home, globals))
  const lookUp: CascadeLookUp = {
    base: async (ref, from) => {
      const found = await findBase(ref, toolOfId(from.id), globals)
      return found?.fault ? faulty(ref, found.fault) : seen(found?.tool ?? null)
    },
    middleware: async (key, from, writer) => {
      const namespace = namespaceOf(writer.name)
      const found = await middlewareFor(key, toolOfId(from.id), namespace, globals, one => passed.push(one))
      return found?.fault ? faulty(key, found.fault) : seen(found?.tool ?? null)
    },
    authority: async one => seenMain(await authorityOf(toolOfId(one.id), globals)),
    namespaceMain: async one => seenMain(await namespaceMain(toolOfId(one.id), globals)),
    projectMain: async () => seenMain(await rootMain(state => isOwn(state) && mayReach(state), globals)),
    libraryMain: async () => seenMain(await rootMain(({ library }) => library === true, globals)),
    nearName: async ref =>
      nearTool(ref, [...globals.tools.programmaticTools.keys(), ...(await knownNames(globals))]),
  }
  const root = seen(tool) as CascadeTool
  return { resolution: await resolveCascades([root], lookUp), toolOfId, passed }
}

/** A tool with a fault, which has no layer or metadata that could be used. */
function faulty(name: string, fault: CascadeTool['fault']): CascadeTool {
  return { id: `\0${name}`, name, layer: 'project', metadata: {}, ...(fault && { fault }) }
}

/** A tool as the cascade sees it. */
export function cascadeTool(tool: ToolDef): CascadeTool {
  const { name, frontmatter, origin } = tool
  return { id: toolId(tool), name, layer: origin.layer, ...cascadeFields(frontmatter) }
}

/** The cascade's id of a tool. */
export function toolId({ name, origin }: ToolDef): string {
  return `${origin.entry}\0${origin.file}\0${name}`
}

/**
 * True for a registered tool without metadata that no promotion reaches: there is nothing to resolve.
 * Programs register thousands of such.
 */
export async function hasNoPromotions({ origin, frontmatter }: ToolDef, globals: Globals): Promise<boolean> {
  if (origin.entry !== '' || Object.keys(frontmatter.metadata).length > 0) return false
  const { cache, config } = globals
  const isTrusted = config.freshness === 'trust'
  const promotions = (isTrusted && cache.promotions) || (await readPromotions(globals))
  cache.promotions = promotions
  // Under `check` a main skill may change at any time: what is resolved is kept with the files that it came
  // from.
  return (
    isTrusted &&
    promotions !== null &&
    Object.keys({ ...promotions.local, ...promotions.global }).length === 0
  )
}

/** Reads the promotions that reach all tools without a file; null where a main skill has a fault. */
export async function readPromotions(globals: Globals): Promise<Promotions | null> {
  const project = await rootMain(state => isOwn(state) && reachesOut(state, globals), globals)
  const library = await rootMain(one => one.library === true, globals)
  if (project?.fault || library?.fault) return null
  const ofLibrary = promotedBy(library?.tool)
  const ofProject = promotedBy(project?.tool)
  if (!ofLibrary || !ofProject) return null
  return {
    local: project ? ofProject.local : ofLibrary.local,
    global: { ...ofLibrary.global, ...ofProject.global },
  }
}

function promotedBy(main: ToolDef | undefined): Promotions | null {
  if (!main) return { local: {}, global: {} }
  const tool = cascadeTool(main)
  const { annotations, problems } = readAnnotations(tool)
  if (problems.length + valueFaults(tool).length > 0) return null
  return { local: byKey(annotations.local), global: byKey(annotations.global) }
}

function byKey(promotions: readonly Promotion[] = []): JsonObject {
  return Object.fromEntries(promotions.map(({ key, value }) => [key, value]))
}

/**
 * Turns a middleware's error about its configuration into one of the tool that it is around, with the place
 * where the value is written, be that in another skill.
 */
export async function configurationInvalid(
  error: AgentAppsError,
  middleware: string,
  tool: ToolDef,
  globals: Globals,
): Promise<AgentAppsError> {
  const { resolution, toolOfId } = await resolveAll(tool, globals)
  const origin = resolution.tools.get(toolId(tool))?.metadata.get(middleware)?.from
  const place = origin && (await writtenPlace(toolOfId(origin.tool), origin.path, globals))
  return new AgentAppsError(
    'MIDDLEWARE_CONFIG',
    `The middleware "${middleware}" of "${tool.name}" cannot use its configuration: ${error.message}`,
    { hint: error.hint, tool: tool.name, ...place, cause: error },
  )
}
