import type { JsonObject } from '../../../src/base/json.js'
import { resolveCascades } from '../../../src/cascade/cascade.js'
import { isSurelySound } from '../../../src/cascade/metadata-faults.js'
import { problemFor } from '../../../src/cascade/problems.js'
import type {
  CascadeEntry,
  CascadeProblem,
  CascadeTool,
  ResolvedCascade,
} from '../../../src/cascade/types.js'
import type { CascadeRecord, ChainRecord, ToolAddress } from '../../../src/index/index-format.js'
import { isMetaKey } from '../../../src/skill/metadata-keys.js'
import type { DirectoryProblem } from '../../diagnostics/cascade-problem.js'
import type { LibraryTools } from '../../project/library.js'
import { type NamedDirectory, type ProjectTools, projectTools } from './cascade-tools.js'
import { idleAnnotations } from './idle-annotations.js'
import { nearMiddleware } from './near-middleware.js'
import { wrongConfigurations } from './wrong-configurations.js'

/** What cascades come to in each of a project's directories. */
export interface ProjectCascades {
  /** By directory, then by name; none for a tool with nothing around it that depends on no other tool. */
  records: Map<string, CascadeRecord>[]
  /** By directory. */
  problems: DirectoryProblem[][]
  /** For each record of a problem the place in the metadata at fault. */
  paths: Map<CascadeRecord, (string | number)[]>
}

/**
 * Resolves the cascades of all of a project's tools together. What depends on tools that only the runtime knows
 * is left for it to resolve.
 */
export async function resolveProject(
  directories: readonly NamedDirectory[],
  library: LibraryTools | null,
  others: readonly string[],
): Promise<ProjectCascades> {
  const tools = projectTools(directories, library, others)
  const open = new Set<string>()
  const roots = tools.directories.flat().filter(tool => !isUntouched(tool, tools))
  const resolution = await resolveCascades(roots, {
    ...tools,
    base(ref, from) {
      const found = tools.base(ref, from)
      if (found === null && tools.elsewhere(ref, from)) open.add(from.id)
      return found
    },
  })
  /** By the id of the tool at fault, the number of its first problem. */
  const faults = new Map<string, number>()
  for (const [number, { tool }] of resolution.problems.entries()) {
    if (!faults.has(tool)) faults.set(tool, number)
  }
  const recordOf = (resolved: ResolvedCascade): CascadeRecord | null => {
    if (resolved.hasManySources) return { chain: [], open: true }
    const ids = [resolved.tool.id, ...resolved.sources]
    if (ids.some(id => open.has(id))) return { chain: [], open: true }
    // A tool's own fault first, as a runtime says it.
    const others = ids.map(id => faults.get(id) ?? Number.POSITIVE_INFINITY)
    const problem = resolution.problems[faults.get(resolved.tool.id) ?? Math.min(...others)]
    if (!problem) return cascadeRecord(resolved, tools)
    const record = problemRecord(resolved, problem, tools)
    cascades.paths.set(record, problem.path)
    return record
  }
  const cascades: ProjectCascades = {
    records: directories.map(() => new Map()),
    problems: directories.map(() => []),
    paths: new Map(),
  }
  for (const resolved of resolution.tools.values()) {
    const [directory, name] = tools.address(resolved.tool.id)
    const record = recordOf(resolved)
    if (record && directory !== 'library') cascades.records[directory]?.set(name, record)
  }
  const told = new Set<string>()
  for (const { tool, at = { tool, path: [] }, code, message, hint, ...problem } of resolution.problems) {
    // Of a main skill its own file says what is wrong.
    if (code === 'main-broken' || (code === 'inherit-missing' && open.has(tool))) continue
    const path = at.tool === tool ? problem.path : at.path
    const [directory, name] = tools.address(at.tool)
    // A key that reaches many tools is told of once.
    const key = JSON.stringify([at.tool, path, code, message])
    if (directory !== 'library' && !told.has(key))
      cascades.problems[directory]?.push({ name, code, path, found: [message, hint] })
    told.add(key)
  }
  const slips = [
    ...wrongConfigurations(resolution, tools),
    ...nearMiddleware(tools),
    ...idleAnnotations(resolution, tools, id => open.has(id) || faults.has(id)),
  ]
  for (const { tool, ...slip } of slips) {
    const [directory, name] = tools.address(tool)
    if (directory !== 'library') cascades.problems[directory]?.push({ name, ...slip })
  }
  for (const [directory, { name, first }] of tools.secondMains) {
    cascades.problems[directory]?.push({
      code: 'main-duplicate',
      name,
      path: ['role'],
      found: [
        `The folder has another main skill, "${first}", which comes first and is the one that counts`,
        'Give one of them another role, or move it into a folder of its own.',
      ],
    })
  }
  return cascades
}

/** True for a tool that is what its own metadata says, and has nothing there that could be wrong: of thousands most are such. */
function isUntouched(
  tool: CascadeTool,
  { middleware, authority, projectMain, libraryMain }: ProjectTools,
): boolean {
  if (projectMain() || authority(tool) || libraryMain()?.metadata.$global !== undefined) return false
  return Object.entries(tool.metadata).every(
    ([key, value]) => !isMetaKey(key) && isSurelySound(key, value) && middleware(key, tool) === null,
  )
}

function problemRecord(
  { tool }: ResolvedCascade,
  problem: CascadeProblem,
  { address }: ProjectTools,
): CascadeRecord {
  const said = problemFor(tool.id, problem, id => address(id)[1])
  return {
    chain: [],
    problem: said,
    ...(problem.tool !== tool.id && { sources: [address(problem.tool)] }),
  }
}

/** Null for a tool that is what its own metadata says, with nothing around it, whatever others of the project say. */
function cascadeRecord(
  { tool, metadata, chain, peers, deps, sources }: ResolvedCascade,
  { address }: ProjectTools,
): CascadeRecord | null {
  const changed: JsonObject = {}
  for (const [key, { value, from, overrides }] of metadata) {
    if (from.layer !== 'own' || overrides.length > 0) changed[key] = value
  }
  for (const key of Object.keys(tool.metadata)) {
    if (!key.startsWith('$') && !metadata.has(key)) changed[key] = null
  }
  const isPlain = chain.length === 0 && Object.keys(changed).length === 0
  // A main skill or a base that gives nothing may give something once it is edited. The library's never is.
  if (isPlain && sources.every(id => address(id)[0] === 'library')) return null
  const body = metadata.get('delegate')?.from
  const addresses = (ids: readonly string[]): ToolAddress[] => ids.map(address)
  return {
    chain: chain.map(chainRecord),
    ...(body && body.layer !== 'own' && { body: address(body.tool) }),
    ...(deps.length > 0 && { deps }),
    ...(Object.keys(changed).length > 0 && { metadata: changed }),
    ...(peers.length > 0 && { peers: addresses(peers).map(([, name]) => name) }),
    ...(sources.length > 0 && { sources: addresses(sources) }),
  }
}

function chainRecord({ name, args, static: isStatic, hook }: CascadeEntry): ChainRecord {
  return { name, args, ...(isStatic && { static: true as const }), ...(hook && { hook }) }
}
