import { relative, resolve } from 'node:path'
import { byCodePoint } from '../src/base/code-point-order.js'
import { AgentAppsError } from '../src/base/error.js'
import { nearest } from '../src/base/nearest.js'
import type { OptionTable } from '../src/base/options.js'
import { isBroken, type ToolRecord } from '../src/index/index-format.js'
import type { ToolReference } from '../src/skill/references.js'
import { describesEntry } from './1-read/markdown/describes-entry.js'
import { readSkills, toolParser } from './1-read/read-skills.js'
import { walk } from './1-read/walk/walk.js'
import { addDirectiveReferences } from './2-resolve/contents/add-directive-references.js'
import { type LocatedContents, projectContents } from './2-resolve/contents/project-contents.js'
import { linkDirectory } from './2-resolve/link/link.js'
import { isKnownElsewhere } from './diagnostics/check-patterns.js'
import { type Message, toDiagnostic, toMessage } from './diagnostics/diagnostics.js'
import {
  type GraphEdge,
  type GraphNode,
  type GraphSelection,
  type ReferenceGraph,
  reachableGraph,
  withCycles,
} from './graph/reference-graph.js'
import { readProject } from './pipeline/read-project.js'
import { libraryBelow } from './project/library.js'
import { checkProjectOptions } from './project/option-checks.js'
import { type Project, type ProjectOptions, shownPath } from './project/project.js'
import type { LinkedPart, ProjectPart } from './project/project-part.js'
import { namedTools, type ReferenceTarget, ReferenceTargets } from './project/reference-targets.js'
import type { UnitTool } from './records/skill-unit.js'

export interface GraphOptions extends ProjectOptions, GraphSelection {
  /** The tools to start from; default: all. */
  names?: readonly string[] | undefined
  /** Told of each directive that was not run, so that what its text refers to is not in the graph. */
  onDiagnostic?: ((message: Message) => void) | undefined
}

const OPTIONS: OptionTable<Exclude<keyof GraphOptions, keyof ProjectOptions>> = {
  names: 'strings',
  reverse: 'boolean',
  depth: 'number',
  onDiagnostic: 'function',
}

/**
 * The graph of what a project's tools refer to: `$inherit`, `delegate`, exact names in `allowed-tools`, directives
 * and relative links. It is read from the files, and writes nothing.
 *
 * @throws TOOL_NOT_FOUND for a name that no tool has, and what `check` throws
 */
export async function graph(options: GraphOptions = {}): Promise<ReferenceGraph> {
  checkProjectOptions('graph', options, OPTIONS)
  const project = await readProject(options, false)
  const parts: ProjectPart[] = []
  for (const directory of project.directories) {
    const { skills, skipped } = walk(directory.dir, { isIgnored: directory.isIgnored, describesEntry })
    const { units } = await readSkills(directory.dir, skills, null, { walkedAt: 0 })
    parts.push({ directory, skills, parseTool: toolParser(skills), linked: linkDirectory(units, skipped) })
  }
  const contents = await projectContents(parts, libraryBelow(project), project, false)
  addDirectiveReferences(parts, contents)
  for (const message of notEvaluated(parts, contents)) options.onDiagnostic?.(message)
  const whole = await wholeGraph(parts, project, resolve(options.cwd ?? ''))
  const { names } = options
  if (names === undefined) return withCycles(whole)
  const ids = new Set(whole.nodes.filter(({ layer }) => layer !== null).map(({ id }) => id))
  for (const name of names) if (!ids.has(name)) throw notFound(name, ids)
  return reachableGraph(whole, names, options)
}

function notEvaluated(parts: readonly LinkedPart[], contents: readonly LocatedContents[]): Message[] {
  return parts.flatMap(({ directory }, number) =>
    [...(contents[number]?.findings ?? [])].flatMap(([path, findings]) =>
      findings
        .filter(({ rule }) => rule === 'not-evaluated')
        .map(finding => toMessage(toDiagnostic(shownPath(directory, path), finding))),
    ),
  )
}

function notFound(name: string, ids: ReadonlySet<string>): AgentAppsError {
  const near = nearest(name, ids)
  return new AgentAppsError('TOOL_NOT_FOUND', `No tool of the project is called ${JSON.stringify(name)}.`, {
    hint: near === null ? '`agent-apps list` shows those there are.' : `Did you mean "${near}"?`,
    tool: name,
  })
}

async function wholeGraph(
  parts: readonly LinkedPart[],
  project: Project,
  cwd: string,
): Promise<Omit<ReferenceGraph, 'cycles'>> {
  const targets = new ReferenceTargets(parts)
  const elsewhere = await toolsElsewhere(project, cwd)
  const nodes = new Map<string, GraphNode>()
  const edges: GraphEdge[] = []
  const tools = [...namedTools(parts)].map(one => ({ ...one, node: toolNode(one, parts, targets) }))
  for (const { node } of tools) nodes.set(node.id, node)
  for (const { directory, file, tool, node } of tools) {
    const shown = shownOf(parts, directory, file)
    for (const reference of tool.references) {
      const target = targets.target(reference, directory, file)
      const to = targetNode(reference, target, { parts, targets, elsewhere, cwd })
      // A skill that links to itself says nothing.
      if (to.id === node.id && reference.kind === 'link') continue
      if (!nodes.has(to.id)) nodes.set(to.id, to)
      const { kind, line, column } = reference
      edges.push({ from: node.id, to: to.id, kind, file: shown, line, column })
    }
  }
  return {
    nodes: [...nodes.values()].sort((a, b) => byCodePoint(a.id, b.id)),
    // One tool's are in the order of its file.
    edges: edges.sort((a, b) => byCodePoint(a.from, b.from)),
  }
}

interface Surroundings {
  parts: readonly LinkedPart[]
  targets: ReferenceTargets
  elsewhere: ReadonlyMap<string, GraphNode>
  cwd: string
}

function toolNode(
  { directory, name, file, tool }: { directory: number; name: string; file: string; tool: UnitTool },
  parts: readonly LinkedPart[],
  targets: ReferenceTargets,
): GraphNode {
  const shown = shownOf(parts, directory, file)
  const isFirst = targets.tools.named(name)?.directory === directory
  const { kind = 'folder', frontmatter } = tool.fresh?.record ?? {}
  return {
    id: isFirst ? name : `${shown}#${name}`,
    name,
    kind,
    role: frontmatter?.role ?? null,
    file: shown,
    layer: 'project',
  }
}

function targetNode(
  { kind, ref }: ToolReference,
  target: ReferenceTarget,
  { parts, targets, elsewhere, cwd }: Surroundings,
): GraphNode {
  if (target.kind === 'tool') {
    const { unit, tool } = parts[target.directory]?.linked.names.get(target.name) ?? {}
    if (unit && tool) return toolNode({ ...target, file: unit.path, tool }, parts, targets)
  }
  if (target.kind === 'file') {
    const path = shownFrom(cwd, target.path)
    return {
      id: path,
      name: path.split('/').at(-1) ?? path,
      kind: 'resource',
      role: null,
      file: path,
      layer: null,
    }
  }
  const known = target.kind === 'none' && target.name !== undefined ? elsewhere.get(target.name) : undefined
  if (known) return known
  const isMissing = target.kind !== 'unknown' && !(kind === 'allowed-tools' && isKnownElsewhere(ref))
  const id = missingPath(target, cwd) ?? ref
  return { id, name: ref, kind: isMissing ? 'missing' : 'unknown', role: null, file: null, layer: null }
}

function missingPath(target: ReferenceTarget, cwd: string): string | null {
  if (target.kind !== 'none' || target.path === undefined) return null
  const fragment = target.fragment === undefined ? '' : `#${target.fragment}`
  return shownFrom(cwd, target.path) + fragment
}

/** The tools of the project's other directories and of the library, by name. */
async function toolsElsewhere(project: Project, cwd: string): Promise<Map<string, GraphNode>> {
  const nodes = new Map<string, GraphNode>()
  for (const { dir, layer, names } of await project.readOthers()) {
    for (const name of names.names()) {
      const record = names.tool(name)
      if (record && !isBroken(record) && !nodes.has(name))
        nodes.set(name, recordNode(name, record, dir, layer, cwd))
    }
  }
  const library = libraryBelow(project)
  for (const [name, record] of library?.readTools() ?? []) {
    if (!nodes.has(name)) nodes.set(name, recordNode(name, record, library?.dir ?? '', 'bundled', cwd))
  }
  return nodes
}

function recordNode(
  name: string,
  { kind, file, frontmatter }: ToolRecord,
  dir: string,
  layer: string,
  cwd: string,
): GraphNode {
  return {
    id: name,
    name,
    kind,
    role: frontmatter.role ?? null,
    file: shownFrom(cwd, `${dir}/${file}`),
    layer,
  }
}

function shownOf(parts: readonly LinkedPart[], directory: number, file: string): string {
  const part = parts[directory]
  return part ? shownPath(part.directory, file) : file
}

/** A file's path from `cwd`. It always holds a slash, so that it is no tool's name. */
function shownFrom(cwd: string, path: string): string {
  const shown = relative(cwd, path).replaceAll('\\', '/')
  return shown.includes('/') ? shown : `./${shown}`
}
