import { relative } from 'node:path'
import { basename } from 'node:path/posix'
import { byCodePoint } from '../../src/base/code-point-order.js'
import { isBroken, type ToolRecord } from '../../src/index/index-format.js'
import type { ToolReference } from '../../src/skill/reference.js'
import { isKnownElsewhere } from '../diagnostics/check-patterns.js'
import { libraryBelow } from '../project/library.js'
import { type LinkedPart, type Project, shownPath } from '../project/project.js'
import { namedTools, type ReferenceTarget, ReferenceTargets } from '../project/reference-targets.js'
import type { Stage } from '../project/stage.js'
import type { UnitTool } from '../records/skill-unit.js'
import type { GraphEdge, GraphNode, ReferenceGraph } from './reference-graph.js'

/** Draws the graph of everything that a project's tools refer to. */
export const drawGraph: Stage<
  { parts: readonly LinkedPart[]; project: Project },
  { whole: Omit<ReferenceGraph, 'cycles'> }
> = {
  name: 'graph',
  run: async ({ parts, project }) => ({ whole: await wholeGraph(parts, project) }),
}

async function wholeGraph(
  parts: readonly LinkedPart[],
  project: Project,
): Promise<Omit<ReferenceGraph, 'cycles'>> {
  const { cwd } = project
  const targets = new ReferenceTargets(parts)
  const elsewhere = await toolsElsewhere(project)
  const nodes = new Map<string, GraphNode>()
  const edges: GraphEdge[] = []
  const tools = [...namedTools(parts)].map(one => ({ ...one, node: toolNode(one, parts, targets) }))
  for (const { node } of tools) nodes.set(node.id, node)
  for (const { directory, name, file, tool, node } of tools) {
    const shown = shownOf(parts, directory, file)
    for (const reference of tool.references) {
      const target = targets.target(reference, { directory, name }, file)
      const to = targetNode(reference, target, { parts, targets, elsewhere, cwd })
      // A skill's link to itself carries no information.
      if (to.id === node.id && reference.kind === 'link') continue
      if (!nodes.has(to.id)) nodes.set(to.id, to)
      const { kind, line, column } = reference
      edges.push({ from: node.id, to: to.id, kind, file: shown, line, column })
    }
  }
  return {
    nodes: [...nodes.values()].sort((a, b) => byCodePoint(a.id, b.id)),
    // The sort is stable: the edges of one tool stay in the order of its file.
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
  const id = isFirst ? name : `${shown}#${name}`
  return { id, name, kind, role: frontmatter?.role ?? null, file: shown, layer: 'project' }
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
    return { id: path, name: basename(path), kind: 'resource', role: null, file: path, layer: null }
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

/** The tools of other people's directories that the project searches, and of the library, by name. */
async function toolsElsewhere(project: Project): Promise<Map<string, GraphNode>> {
  const nodes = new Map<string, GraphNode>()
  const add = (name: string, { kind, file, frontmatter }: ToolRecord, dir: string, layer: string): void => {
    const { role = null } = frontmatter
    const node = { id: name, name, kind, role, file: shownFrom(project.cwd, `${dir}/${file}`), layer }
    if (!nodes.has(name)) nodes.set(name, node)
  }
  for (const { dir, layer, names } of await project.readOthers()) {
    for (const name of names.names()) {
      const record = names.tool(name)
      if (record && !isBroken(record)) add(name, record, dir, layer)
    }
  }
  const library = libraryBelow(project)
  for (const [name, record] of library?.readTools() ?? []) add(name, record, library?.dir ?? '', 'bundled')
  return nodes
}

function shownOf(parts: readonly LinkedPart[], directory: number, file: string): string {
  const part = parts[directory]
  return part ? shownPath(part.directory, file) : file
}

/** A file's path from `cwd`. It always contains a slash, which no tool's name does. */
function shownFrom(cwd: string, path: string): string {
  const shown = relative(cwd, path).replaceAll('\\', '/')
  return shown.includes('/') ? shown : `./${shown}`
}
