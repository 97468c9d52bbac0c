import { AgentAppsError, toolBroken } from '../../src/base/error.js'
import { isOffered, isThere, matchedTool } from '../../src/catalog/offered-tool.js'
import { parsePatterns, selectsTool, type ToolRule } from '../../src/patterns/tool-pattern.js'
import { isAllowed } from '../../src/patterns/tool-rules.js'
import { isToolName } from '../../src/skill/names.js'
import { allTools } from '../find/all-tools.js'
import { resolve } from '../find/find-tool.js'
import type { OpenedSkill } from '../find/opened-skill.js'
import { requireTool } from '../find/require-tool.js'
import { lazy } from '../host/later.js'
import type { Chain } from '../state/chain.js'
import type { AgentPolicy, CallerKind, Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { invocationOf, type RunContext } from './run-context.js'

/** The tools that an agent is shown: those that it may call, and that say what they are for. */
export async function listForAgent(globals: Globals, policy: AgentPolicy = {}): Promise<ToolDef[]> {
  const rules = rulesOf(policy.allowedTools)
  const tools = await allTools(globals)
  return tools.filter(tool => isOffered(tool) && mayBeAllowed(rules, tool))
}

/** The tools that may be called from a context: all, or for an agent those that it is shown. */
export async function toolsFrom(ctx: RunContext, as: CallerKind): Promise<ToolDef[]> {
  const tools = await allTools(ctx.globals)
  if (as !== 'agent') return tools
  const all = [...restrictionsOn(ctx)].map(({ patterns }) => rulesOf(patterns))
  return tools.filter(tool => isOffered(tool) && all.every(rules => mayBeAllowed(rules, tool)))
}

/** The tool that a name leads to in a context. Throws TOOL_NOT_FOUND, or TOOL_BROKEN. */
export async function toolFrom(ctx: RunContext, ref: string, as: CallerKind): Promise<ToolDef> {
  const { globals } = ctx
  if (as !== 'agent') return requireTool(ref, globals)
  const tool = await requireForAgent(ref, globals)
  for (const { patterns } of restrictionsOn(ctx))
    if (!mayBeAllowed(rulesOf(patterns), tool)) throw unknownToAgent(ref)
  return tool
}

/** The tool that an agent's name leads to; null where it knows of none. */
export async function findForAgent(
  ref: string,
  globals: Globals,
  policy: AgentPolicy = {},
): Promise<ToolDef | null> {
  const tool = isForAgents(ref, globals) ? (await resolve(ref, globals))?.tool : undefined
  return tool && isThere(tool) && mayBeAllowed(rulesOf(policy.allowedTools), tool) ? tool : null
}

/**
 * The tool that an agent calls by a name. Throws TOOL_NOT_FOUND for a tool that is hidden from it, as if it
 * did not exist.
 */
export async function requireForAgent(ref: string, globals: Globals): Promise<ToolDef> {
  if (!isForAgents(ref, globals)) {
    // A model may give anything.
    const shown = typeof ref === 'string' ? ref : typeof ref
    throw denied(shown, `An agent calls a tool by its name, not by ${JSON.stringify(shown)}.`)
  }
  const resolution = await resolve(ref, globals)
  if (resolution?.broken) throw toolBroken(ref, resolution.broken)
  if (resolution && isThere(resolution.tool)) return resolution.tool
  throw unknownToAgent(ref)
}

/**
 * The error for a tool that does not exist, and for one that this agent may not know of: it must not tell
 * which.
 */
function unknownToAgent(ref: string): AgentAppsError {
  return new AgentAppsError('TOOL_NOT_FOUND', `There is no tool ${JSON.stringify(ref)}.`, {
    hint: 'Call one of the tools that are listed.',
    tool: ref,
  })
}

/**
 * Lets a call go on that a model chose.
 *
 * @throws TOOL_DENIED where the calling skill, one above it whose agent started this one, or a policy does
 *   not allow it
 */
export function authorize(ctx: RunContext): void {
  const { tool, args } = ctx
  for (const { by, patterns } of restrictionsOn(ctx)) {
    const { answer, rule } = isAllowed(rulesOf(patterns), { ...matchedTool(tool), args })
    if (!answer) {
      const why = rule ? `denies it with ${JSON.stringify(rule.text)}` : 'does not have it'
      throw denied(
        tool.name,
        `The tool "${tool.name}" may not be called: the \`allowed-tools\` of ${by} ${why}.`,
      )
    }
  }
}

const opening = lazy(() => import('../find/opened-skill.js'))

/** The result as an agent gets it: a skill that it opens comes with the place of its files. */
export async function resultForAgent(
  { tool, globals }: RunContext,
  { body }: Chain,
  result: unknown,
): Promise<unknown | OpenedSkill> {
  const { delegate } = tool.frontmatter.metadata
  const isContent = tool.kind === 'folder' && body === undefined && (delegate ?? null) === null
  if (!isContent || typeof result !== 'string') return result
  return (await opening()).openSkill(tool, result, globals)
}

/**
 * The patterns that limit an agent's call: of its own policy and skill, and of all agents that it was started
 * for.
 */
function* restrictionsOn(ctx: RunContext): Generator<{ by: string; patterns: AgentPolicy['allowedTools'] }> {
  for (let one: RunContext | undefined = ctx; one; one = one.caller && invocationOf(one.caller)) {
    const { caller, options } = one
    yield { by: 'the policy', patterns: options?.policy?.allowedTools }
    if (caller && options?.as === 'agent')
      yield { by: `"${caller.tool.name}"`, patterns: caller.tool.frontmatter['allowed-tools'] }
  }
}

/**
 * Lists of patterns that were parsed, by their text: a call asks for those of all policies and skills above
 * it.
 */
const parsed = new Map<string, readonly ToolRule[]>()
/** More than a process has at a time, other than one that makes up a policy for each call. */
const PARSED_MAX = 1000

function rulesOf(patterns: AgentPolicy['allowedTools']): readonly ToolRule[] | undefined {
  // Each item alone: one that is no pattern must not take the next ones along.
  return typeof patterns === 'string' ? rulesIn(patterns) : patterns?.flatMap(rulesIn)
}

function rulesIn(list: string): readonly ToolRule[] {
  const known = parsed.get(list)
  if (known) return known
  if (parsed.size >= PARSED_MAX) parsed.clear()
  const rules = parsePatterns(list)
  parsed.set(list, rules)
  return rules
}

/**
 * A bare name, one that a server gave, or one that a program chose; nothing that leads to a file, or is code
 * itself.
 */
function isForAgents(ref: string, { tools: { programmaticTools } }: Globals): boolean {
  if (typeof ref !== 'string') return false
  return isToolName(ref) || ref.startsWith('mcp://') || (programmaticTools.has(ref) && !/[/\\:]/.test(ref))
}

/** True where some call of a tool can be allowed: what rules ask of its arguments is seen only then. */
function mayBeAllowed(rules: readonly ToolRule[] | undefined, tool: ToolDef): boolean {
  const call = matchedTool(tool)
  const { answer, rule } = isAllowed(rules, { ...call, args: undefined })
  if (answer) return true
  const isDenied = rule !== null && rule.arguments.length === 0 && rule.keys.length === 0
  return !isDenied && rules !== undefined && rules.some(one => isAllowing(one) && selectsTool(one, call))
}

function isAllowing({ options: { deny, policy } }: ToolRule): boolean {
  return deny === undefined && policy !== 'deny'
}

function denied(tool: string, message: string): AgentAppsError {
  return new AgentAppsError('TOOL_DENIED', message, {
    hint: 'Call one of the tools that are listed, or let its skill or policy allow this one.',
    tool,
  })
}
