import { resolve } from 'node:path'
import {
  AgentAppsError,
  type ErrorCode,
  matchPattern,
  type PathEntry,
  type Runtime,
  type ToolDef,
} from 'agent-apps'
import { readPatterns } from '../read-patterns.js'
import { byText } from './exported-files.js'

/** A tool that is not exported. */
export interface LeftOut {
  tool: string
  /** The reason, as the end of a sentence that begins with its name. */
  reason: string
  /** The code of the error that prevents the export; absent if the tool is left out on purpose. */
  code?: ErrorCode
}

interface ChosenTools {
  /** Text skills, sorted by name. */
  texts: ToolDef[]
  /** Tools that run code, sorted by name. */
  running: ToolDef[]
  leftOut: LeftOut[]
}

/** The specification's limit. */
const NAME_MAX = 64

/** The project's own tools, sorted by name: none of the library, the user, or external directories. */
export async function ownTools(
  runtime: Runtime,
  cwd: string,
  paths: readonly PathEntry[],
): Promise<ToolDef[]> {
  const others = paths.flatMap(entry =>
    typeof entry === 'object' && 'dir' in entry && entry.external ? [resolve(cwd, entry.dir)] : [],
  )
  return (await runtime.listTools())
    .filter(({ origin }) => origin.layer === 'project' && !others.includes(origin.entry))
    .sort((a, b) => byText(a.name, b.name))
}

/**
 * Sorts the tools that match a pattern into those to export, which models see, and those left out.
 *
 * @param hasUserOnly whether the host has skills that only its user calls, such as texts with `disable-model-invocation`
 * @throws OPTIONS_INVALID
 */
export async function chooseTools(
  runtime: Runtime,
  tools: readonly ToolDef[],
  patterns: readonly string[] | undefined,
  hasUserOnly: boolean,
): Promise<ChosenTools> {
  const selecting = patterns && readPatterns(patterns)
  const selected = tools.filter(
    ({ name, frontmatter }) =>
      selecting?.some(pattern => matchPattern(pattern, name, frontmatter.tags)) ?? true,
  )
  const chosen: ChosenTools = { texts: [], running: [], leftOut: [] }
  for (const tool of selected) {
    const isRunning = await runs(runtime, tool)
    const { visibility, extra } = tool.frontmatter
    const isKept = hasUserOnly && !isRunning && extra['disable-model-invocation'] === true
    const isHidden = visibility === 'hidden' && !isKept
    const reason = isHidden ? 'is hidden from models' : notExported(tool)
    if (reason !== null) chosen.leftOut.push({ tool: tool.name, reason })
    else (isRunning ? chosen.running : chosen.texts).push(tool)
  }
  return chosen
}

/** True if a tool runs code. An inherited delegate counts even before it is compiled. */
async function runs(runtime: Runtime, { name, runs, frontmatter }: ToolDef): Promise<boolean> {
  if (runs || !('$inherit' in frontmatter.metadata)) return runs
  return 'delegate' in (await runtime.explain(name)).metadata
}

function notExported({ label, frontmatter }: ToolDef): string | null {
  const { role, description, metadata } = frontmatter
  if (metadata.enabled === false || metadata.enabled === 'false') return 'is disabled'
  if (role === 'middleware' || role === 'main') return `has the role \`${role}\`, and is not shown to models`
  if (description === undefined) return 'has no description, which other hosts need'
  if (label.length > NAME_MAX)
    return `has a name of more than ${NAME_MAX} characters, the specification's limit`
  return null
}

/**
 * Refuses skills that would share a folder, since other hosts have no namespaces.
 *
 * @throws EXPORT_CLASH
 */
export function checkClashes(texts: readonly ToolDef[]): void {
  const byLabel = new Map<string, ToolDef[]>()
  for (const tool of texts) byLabel.set(tool.label, [...(byLabel.get(tool.label) ?? []), tool])
  const clashes = [...byLabel].filter(([, tools]) => tools.length > 1)
  if (clashes.length === 0) return
  const shown = clashes.map(
    ([label, tools]) => `${JSON.stringify(label)}: ${tools.map(({ name }) => name).join(', ')}`,
  )
  throw new AgentAppsError(
    'EXPORT_CLASH',
    `Other hosts have no namespaces, and these skills would share a name: ${shown.join('; ')}.`,
    {
      hint: 'Select one of each with a pattern, or export each namespace to its own folder.',
      issues: clashes.map(([label, tools]) => ({
        path: label,
        expected: 'one skill',
        found: tools.map(({ name }) => name).join(', '),
        message: `${tools.length} skills would be called ${JSON.stringify(label)}.`,
      })),
    },
  )
}
