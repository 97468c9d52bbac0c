import type { Runtime, ToolDef } from 'agent-apps/runtime'
import { type Command, type Invocation, LOOK_UP_OPTIONS } from '../command.js'
import { fromHere } from '../from-here.js'
import {
  isOfProject,
  isOutsideLibrary,
  noteDiagnostics,
  noteLeftOut,
  openRuntime,
  rolesOf,
} from '../open-runtime.js'
import { count, type Output, printable } from '../output.js'
import { readList } from '../read-option.js'
import { ALLOW_EMPTY, isEmptyUnasked } from '../report/no-skills.js'
import { installedFrom, noteLock, readSkillsLock, type SkillsLock } from '../skills-lock.js'

export const list: Command = {
  name: 'list',
  positionals: { min: 0, max: 0 },
  options: {
    ...LOOK_UP_OPTIONS,
    tag: {
      type: 'string',
      multiple: true,
      value: 'TAG',
      describes: 'list only tools with this tag (repeatable: with all of them)',
    },
    pattern: {
      type: 'string',
      multiple: true,
      value: 'PATTERN',
      describes: 'list only tools that this pattern matches (repeatable: any of them)',
    },
    tokens: { type: 'boolean', describes: 'show about how many tokens each takes in a catalog' },
    hidden: { type: 'boolean', describes: 'include tools that are hidden from agents' },
    library: { type: 'boolean', describes: "include the library's own tools, as --tag and --pattern do" },
    ...ALLOW_EMPTY,
  },
  example: 'agent-apps list --tag api',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { options, output, cwd } = invocation
  const runtime = await openRuntime(invocation, false)
  const listed = await runtime.listTools()
  const tools = (await chosen(listed, options)).filter(
    ({ frontmatter }) => options.hidden === true || frontmatter.visibility !== 'hidden',
  )
  const lock = readSkillsLock(cwd)
  const costs = options.tokens === true ? await tokensOf(tools) : null
  if (output.json) {
    const { toolAsJson } = await import('../tool-as-json.js')
    output.jsonResult(
      tools.map((tool, number) => ({
        ...toolAsJson(tool, cwd),
        installedFrom: installedFrom(tool, lock),
        ...(costs && { tokens: costs[number] }),
      })),
    )
  } else show(tools, costs, lock, invocation)
  noteLock(lock, output)
  if (!output.json) noteDuplicates(runtime, output)
  noteDiagnostics(runtime, invocation)
  await noteLeftOut(invocation)
  return (await isEmptyUnasked(listed.filter(isOfProject).length, invocation)) ? 1 : 0
}

/** The selected tools. A filter selects from all tools, the library's included. */
async function chosen(
  listed: ToolDef[],
  { tag, pattern, library }: Invocation['options'],
): Promise<ToolDef[]> {
  const own = library === true ? listed : listed.filter(isOutsideLibrary)
  const patterns = readList(pattern)
  if (tag === undefined && !patterns) return own
  // The main entry is much larger than what a plain list needs.
  const { matchPattern, normalizeTags } = await import('agent-apps')
  const tags = normalizeTags(readList(tag) ?? [])
  return (tags.length > 0 || patterns ? listed : own).filter(
    ({ name, frontmatter }) =>
      tags.every(wanted => frontmatter.tags.includes(wanted)) &&
      (patterns?.some(one => matchPattern(one, name, frontmatter.tags)) ?? true),
  )
}

/**
 * Reports the number of tools that lost their name to another tool of their path entry. Those of later entries are listed
 * as shadowed.
 */
function noteDuplicates({ globals }: Runtime, output: Output): void {
  const duplicates = [...globals.directories.values()].flatMap(({ index, snapshot }) => {
    const names = snapshot?.names ?? index
    const diagnostics = names?.paths().flatMap(path => names.file(path)?.diagnostics ?? []) ?? []
    return diagnostics.filter(({ rule }) => rule === 'duplicate-name')
  }).length
  if (duplicates > 0)
    output.note(
      `${count(duplicates, 'tool')} left out, since another one in the same directory has the name; \`agent-apps check\` shows which`,
    )
}

/** The tokens that each tool adds to a catalog; 0 if models do not see it. */
async function tokensOf(tools: readonly ToolDef[]): Promise<number[]> {
  const { estimateTokens, renderCatalog } = await import('agent-apps')
  // The first and last line of a catalog.
  const frame = estimateTokens('<available_skills>\n</available_skills>\n')
  return Promise.all(
    tools.map(async tool => {
      const { metadata, ...rest } = tool.frontmatter
      const { 'requires-tools': _, ...kept } = metadata
      const alone = await renderCatalog([{ ...tool, frontmatter: { ...rest, metadata: kept } }])
      return Math.max(0, estimateTokens(alone) - frame)
    }),
  )
}

function show(tools: ToolDef[], costs: number[] | null, lock: SkillsLock, { output, cwd }: Invocation): void {
  const width = Math.min(40, Math.max(0, ...tools.map(({ name }) => name.length)))
  const roles = tools.map(tool => rolesOf(tool).join(', ') || '-')
  const roleWidth = Math.max(0, ...roles.map(role => role.length))
  const room = (output.stdout.columns ?? 100) - width - roleWidth - (costs ? 32 : 24)
  for (const [number, tool] of tools.entries()) {
    const { name, kind, frontmatter, origin } = tool
    const from = installedFrom(tool, lock)
    const installed = from ? output.style('dim', ` (from ${printable(from.source)})`) : ''
    const description = shortened(
      printable(frontmatter.description ?? '(no description)'),
      Math.max(20, room),
    )
    const shadows =
      origin.shadows.length > 0 ? output.style('yellow', ` (shadows ${origin.shadows.length})`) : ''
    const cost = costs ? `${count(costs[number] ?? 0).padStart(6)}  ` : ''
    output.result(
      `${output.style('bold', name.padEnd(width))}  ${kind.padEnd(6)}  ${roles[number]?.padEnd(roleWidth)}  ${origin.layer.padEnd(8)}  ${cost}${description}${shadows}${installed}`,
    )
  }
  const sum = costs?.reduce((total, cost) => total + cost, 0)
  const tokens = sum === undefined ? '' : `, about ${count(sum, 'token')}`
  output.note(`${count(tools.length, 'tool')}${tokens}${byPath(tools, cwd)}`)
}

/** The number of tools of each path entry, as the end of a line. */
function byPath(tools: readonly ToolDef[], cwd: string): string {
  const numbers = new Map<string, number>()
  for (const { origin } of tools) {
    const path = origin.layer === 'bundled' ? 'the library' : printable(fromHere(origin.entry, cwd))
    numbers.set(path, (numbers.get(path) ?? 0) + 1)
  }
  const paths = [...numbers].map(([path, number]) => `${count(number)} in ${path}`)
  return paths.length === 0 ? '' : ` · ${paths.join(', ')}`
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
