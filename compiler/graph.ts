import { AgentAppsError } from '../src/base/error.js'
import { nearest } from '../src/base/nearest.js'
import type { OptionTable } from '../src/base/options.js'
import type { LocatedContents } from './2-resolve/contents/project-contents.js'
import { type Message, toDiagnostic } from './diagnostics/diagnostics.js'
import { toMessage } from './diagnostics/to-message.js'
import {
  type GraphSelection,
  type ReferenceGraph,
  reachableGraph,
  withCycles,
} from './graph/reference-graph.js'
import { GRAPH } from './pipeline/pipelines.js'
import { readProject } from './pipeline/read-project.js'
import { projectPart } from './pipeline/read-stages.js'
import { checkProjectOptions } from './project/option-checks.js'
import { type LinkedPart, type ProjectOptions, type ProjectPart, shownPath } from './project/project.js'
import { runStages } from './project/stage.js'

/** The options of `graph`. */
export interface GraphOptions extends ProjectOptions, GraphSelection {
  /** The tools to start from; default: all. */
  names?: readonly string[] | undefined
  /**
   * Receives a message for each directive that was not run: references in its result are missing from the
   * graph.
   */
  onDiagnostic?: ((message: Message) => void) | undefined
}

const OPTIONS: OptionTable<Exclude<keyof GraphOptions, keyof ProjectOptions>> = {
  names: 'strings',
  reverse: 'boolean',
  depth: 'number',
  onDiagnostic: 'function',
}

/**
 * Draws the graph of a project's references: `$inherit`, `delegate`, exact names in `allowed-tools`,
 * directives and relative links. It reads skill files and writes nothing.
 *
 * @throws TOOL_NOT_FOUND for an unknown name, and the errors of `check`
 */
export async function graph(options: GraphOptions = {}): Promise<ReferenceGraph> {
  checkProjectOptions('graph', options, OPTIONS)
  const project = await readProject(options, false)
  const parts: ProjectPart[] = []
  for (const directory of project.directories)
    parts.push(projectPart(await runStages(GRAPH.directory, { directory })))
  const { contents, whole } = await runStages(GRAPH.project, { parts, project })
  for (const message of notEvaluated(parts, contents)) options.onDiagnostic?.(message)
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
    hint: near === null ? '`agent-apps list` shows the tools.' : `Did you mean "${near}"?`,
    tool: name,
  })
}
