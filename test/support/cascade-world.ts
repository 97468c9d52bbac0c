import type { JsonObject, JsonValue } from '../../src/base/json.js'
import { resolveCascades } from '../../src/cascade/cascade.js'
import type {
  CascadeLookUp,
  CascadeProblem,
  CascadeResolution,
  CascadeTool,
} from '../../src/cascade/types.js'

/** A tool whose id is its name. */
export function tool(name: string, metadata: JsonObject = {}, more: Partial<CascadeTool> = {}): CascadeTool {
  return { id: name, name, layer: 'project', metadata, ...more }
}

export function middleware(
  name: string,
  metadata: JsonObject = {},
  more: Partial<CascadeTool> = {},
): CascadeTool {
  return tool(name, metadata, { role: 'middleware', ...more })
}

export function main(metadata: JsonObject, name = 'main'): CascadeTool {
  return tool(name, metadata, { role: 'main' })
}

export interface World {
  /** Ids of the main skills. */
  project?: string
  library?: string
  /** By the tool's id; the project's main where absent. */
  authority?: Record<string, string>
  /** Answers with promises. */
  later?: boolean
}

/** Look-ups among tools, which also keep what they were asked. */
export function lookUpAmong(
  tools: readonly CascadeTool[],
  { project, library, authority = {}, later = false }: World = {},
): CascadeLookUp & { asked: string[] } {
  const byId = new Map(tools.map(one => [one.id, one]))
  const asked: string[] = []
  const answer = (question: string, id: string | undefined, fits = (_: CascadeTool) => true) => {
    asked.push(question)
    const found = id === undefined ? undefined : byId.get(id)
    const value = found && fits(found) ? found : null
    return later ? Promise.resolve(value) : value
  }
  return {
    asked,
    base: (ref, from) => answer(`base ${ref} from ${from.id}`, ref),
    middleware: (key, from) =>
      answer(`middleware ${key} from ${from.id}`, key, ({ role }) => role === 'middleware'),
    authority: from =>
      answer(`authority of ${from.id}`, Object.hasOwn(authority, from.id) ? authority[from.id] : project),
    namespaceMain: () => null,
    projectMain: () => answer('project', project),
    libraryMain: () => answer('library', library),
    nearName: () => null,
  }
}

export function resolve(
  tools: readonly CascadeTool[],
  world: World = {},
  roots = tools,
): Promise<CascadeResolution> {
  return resolveCascades(roots, lookUpAmong(tools, world))
}

/** The effective values of one tool. */
export async function effective(
  name: string,
  tools: readonly CascadeTool[],
  world: World = {},
): Promise<Record<string, JsonValue>> {
  return valuesOf(await resolve(tools, world), name)
}

export function valuesOf({ tools }: CascadeResolution, id: string): Record<string, JsonValue> {
  return Object.fromEntries([...(tools.get(id)?.metadata ?? [])].map(([key, { value }]) => [key, value]))
}

/** The chain in short: `['audit', 'retry static', 'trace static hook']`. */
export function chainOf({ tools }: CascadeResolution, id: string): string[] {
  return (tools.get(id)?.chain ?? []).map(
    ({ name, static: isStatic, hook }) => `${name}${isStatic ? ' static' : ''}${hook ? ' hook' : ''}`,
  )
}

/** Problems in short: `['annotation-unknown a $foo']`. */
export function shortly(problems: readonly CascadeProblem[]): string[] {
  return problems.map(({ code, tool: id, path }) => `${code} ${id} ${path.join('/')}`)
}

/** All that a resolution says, lists that are made on demand included. */
export function asText({ tools, problems }: CascadeResolution): string {
  return JSON.stringify([
    problems,
    [...tools].map(([id, one]) => [id, { ...one, metadata: [...one.metadata] }]),
  ])
}
