import type { JsonObject } from '../../../src/base/json.js'
import { isSurelySound } from '../../../src/cascade/metadata-faults.js'
import { problemFor } from '../../../src/cascade/problems.js'
import type {
  CascadeEntry,
  CascadeLookUp,
  CascadeProblem,
  CascadeResolution,
  CascadeTool,
  ResolvedCascade,
} from '../../../src/cascade/types.js'
import type { CascadeRecord, ChainRecord, ToolAddress } from '../../../src/index/index-format.js'
import { isMetaKey } from '../../../src/skill/metadata-keys.js'
import type { LibraryTools } from '../../project/library.js'
import type { DirectoryProblem } from '../../records/linked-directory.js'
import { type NamedDirectory, type ProjectTools, projectTools } from './cascade-tools.js'
import { likelySlips, type Slip } from './likely-slips.js'

/** The resolved cascades of each of a project's directories. */
interface ProjectCascades {
  /**
   * Records by directory, then by name. A tool with an empty chain that depends on no other tool has no
   * record.
   */
  records: Map<string, CascadeRecord>[]
  problems: DirectoryProblem[][]
  /** For each record of a problem: the path in the metadata at fault. */
  paths: Map<CascadeRecord, (string | number)[]>
}

/**
 * Resolves the cascades of all of a project's tools together. A cascade that depends on tools which only
 * the runtime knows is left open, for the runtime to resolve.
 */
export async function resolveProject(
  directories: readonly NamedDirectory[],
  library: LibraryTools | null,
  others: readonly string[],
): Promise<ProjectCascades> {
  const tools = projectTools(directories, library, others)
  const open = new Set<string>()
  const roots = tools.directories.flat().filter(tool => !isUntouched(tool, tools))
  const resolution = await resolutionOf(roots, {
    ...tools,
    base(ref, from) {
      const found = tools.base(ref, from)
      if (found === null && tools.elsewhere(ref, from)) open.add(from.id)
      return found
    },
  })
  const resolved: ResolvedProject = { tools, resolution, open, faults: firstProblems(resolution) }
  const problems: ProjectCascades['problems'] = directories.map(() => [])
  for (const { tool, ...problem } of [
    ...cascadeProblems(resolved),
    ...likelySlips(resolution, tools, id => open.has(id) || resolved.faults.has(id)),
  ]) {
    const [directory, name] = tools.address(tool)
    if (directory !== 'library') problems[directory]?.push({ name, ...problem })
  }
  for (const [directory, main] of tools.secondMains) problems[directory]?.push(secondMainProblem(main))
  return { ...projectRecords(resolved, directories.length), problems }
}

/** Most projects have no cascade to resolve, so the code that does so is loaded on demand. */
async function resolutionOf(roots: CascadeTool[], lookUp: CascadeLookUp): Promise<CascadeResolution> {
  if (roots.length === 0) return { tools: new Map(), problems: [] }
  const { resolveCascades } = await import('../../../src/cascade/cascade.js')
  return resolveCascades(roots, lookUp)
}

interface ResolvedProject {
  tools: ProjectTools
  resolution: CascadeResolution
  /** The ids of the tools with a base that only the runtime knows. */
  open: ReadonlySet<string>
  /** The number of each faulty tool's first problem, by id. */
  faults: ReadonlyMap<string, number>
}

/** The number of each faulty tool's first problem. */
function firstProblems({ problems }: CascadeResolution): Map<string, number> {
  const first = new Map<string, number>()
  for (const [number, { tool }] of problems.entries()) if (!first.has(tool)) first.set(tool, number)
  return first
}

function projectRecords(
  { tools, resolution, open, faults }: ResolvedProject,
  directories: number,
): Pick<ProjectCascades, 'records' | 'paths'> {
  const records = Array.from({ length: directories }, () => new Map<string, CascadeRecord>())
  const paths: ProjectCascades['paths'] = new Map()
  const recordOf = (resolved: ResolvedCascade): CascadeRecord | null => {
    if (resolved.hasManySources) return { chain: [], open: true }
    const ids = [resolved.tool.id, ...resolved.sources]
    if (ids.some(id => open.has(id))) return { chain: [], open: true }
    // A tool's own fault comes first, as in a runtime.
    const others = ids.map(id => faults.get(id) ?? Number.POSITIVE_INFINITY)
    const problem = resolution.problems[faults.get(resolved.tool.id) ?? Math.min(...others)]
    if (!problem) return cascadeRecord(resolved, tools)
    const record = problemRecord(resolved, problem, tools)
    paths.set(record, problem.path)
    return record
  }
  for (const resolved of resolution.tools.values()) {
    const [directory, name] = tools.address(resolved.tool.id)
    const record = recordOf(resolved)
    if (record && directory !== 'library') records[directory]?.set(name, record)
  }
  return { records, paths }
}

/** The problems of resolving, each once at the key at fault, however many tools that key reaches. */
function cascadeProblems({ resolution, open }: ResolvedProject): Slip[] {
  const problems = new Map<string, Slip>()
  for (const { tool, at = { tool, path: [] }, code, message, hint, ...problem } of resolution.problems) {
    // A main skill's own file already reports its fault.
    if (code === 'main-broken' || (code === 'inherit-missing' && open.has(tool))) continue
    const path = at.tool === tool ? problem.path : at.path
    const key = JSON.stringify([at.tool, path, code, message])
    if (!problems.has(key)) problems.set(key, { tool: at.tool, code, path, found: [message, hint] })
  }
  return [...problems.values()]
}

function secondMainProblem({ name, first }: ProjectTools['secondMains'][number][1]): DirectoryProblem {
  return {
    code: 'main-duplicate',
    name,
    path: ['role'],
    found: [
      `The folder has another main skill, "${first}", which comes first and is the one that counts`,
      'Give one of them another role, or move it into its own folder.',
    ],
  }
}

/**
 * True for a tool whose effective metadata is its own, without anything that could be wrong. Most tools are
 * like this.
 */
function isUntouched(
  tool: CascadeTool,
  { middleware, authority, projectMain, libraryMain }: ProjectTools,
): boolean {
  if (projectMain() || authority(tool) || libraryMain()?.metadata.$global !== undefined) return false
  return Object.entries(tool.metadata).every(
    ([key, value]) => !isMetaKey(key) && isSurelySound(key, value) && middleware(key, tool, tool) === null,
  )
}

function problemRecord(
  { tool }: ResolvedCascade,
  problem: CascadeProblem,
  { address }: ProjectTools,
): CascadeRecord {
  return {
    chain: [],
    problem: problemFor(tool.id, problem, id => address(id)[1]),
    ...(problem.tool !== tool.id && { sources: [address(problem.tool)] }),
  }
}

/**
 * The record of a tool's cascade; null for an empty chain and unchanged metadata that depend on no other tool
 * of the project.
 */
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
  // A main skill or a base that passes on nothing may do so once it is edited. The library is never edited.
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
