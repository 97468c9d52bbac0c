import { isOffered } from '../../src/catalog/offered-tool.js'
import { whyUnshowable } from '../../src/catalog/why-unshowable.js'
import { callableAmong, lacksModel, withRequired } from '../call/agent-calls.js'
import { unmetVersion } from '../cascade/cascade-faults.js'
import { noteNotEvaluated } from '../directory/not-evaluated.js'
import { resolve } from '../find/find-tool.js'
import type { AgentLimits } from '../policy/agent-limits.js'
import { whyNever } from '../policy/authorize.js'
import { isEnabled } from '../policy/guards-of.js'
import type { Offer, Withheld } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { type AgentView, TRUST_ADVICE } from '../trust/agent-view.js'

/**
 * Decides which tools a model is offered, and which are withheld. Runs the code of a tool if only that tells its
 * arguments, since a model without a schema would guess.
 *
 * @param callable the tools that may be called, as far as is known without running code
 */
export async function offerOf(
  all: readonly ToolDef[],
  callable: readonly ToolDef[],
  view: AgentView,
  limits: AgentLimits,
): Promise<Offer> {
  const tools: ToolDef[] = []
  const withheld: Withheld[] = []
  for (const listed of callable) {
    const one = await asked(listed, view, limits)
    const fault = 'why' in one ? null : faultOf(one)
    if ('why' in one) withheld.push(one)
    else if (fault) withheld.push({ tool: one, ...fault })
    else tools.push(one)
  }
  const may = new Set(callable)
  for (const tool of all)
    if (isOffered(tool) && !may.has(tool) && !lacksModel(tool, view.globals))
      withheld.push({ tool, ...(await whyNot(tool, view, limits)) })
  const usable = withRequired(tools)
  const lacking = tools.filter(tool => !usable.includes(tool))
  return { tools: usable, withheld: [...withheld, ...lacking.map(tool => ({ tool, ...LACKING }))] }
}

/** The tool, completed by its code, or the reason why it is withheld. */
async function asked(listed: ToolDef, view: AgentView, limits: AgentLimits): Promise<ToolDef | Withheld> {
  const source = sourceOf(listed)
  if (!source?.record.dynamic) return listed
  const { tool = listed, broken } = (await resolve(listed.name, view.globals)) ?? {}
  if (broken) return { tool, why: broken.reason, grant: broken.note }
  if (tool.frontmatter.paramsUnknown) {
    noteNotEvaluated(source, view.globals)
    return { tool, ...UNKNOWN }
  }
  // The code may require more than was known.
  const [may] = await callableAmong([tool], view, limits)
  return may ?? { tool, ...(await whyNot(tool, view, limits)) }
}

function faultOf({ name, frontmatter }: ToolDef): Omit<Withheld, 'tool'> | null {
  const { title, description, params, returns } = frontmatter
  return whyUnshowable([name, title, description, params, returns])
}

const UNKNOWN = {
  why: 'only its code tells its arguments, and may not be run here',
  grant: 'Run `agent-apps compile`, write its `params` as literals, or trust the project.',
}

const LACKING = {
  why: 'a tool that it requires is missing',
  grant: 'Allow what its `requires-tools` names.',
}

async function whyNot(
  tool: ToolDef,
  { globals, shown }: AgentView,
  limits: AgentLimits,
): Promise<Omit<Withheld, 'tool'>> {
  if (!isEnabled(tool, globals))
    return { why: 'the configuration disables it', grant: `Take \`enabled: false\` out of \`config.tools\`.` }
  const unmet = unmetVersion(tool)
  if (unmet) return { why: unmet.message, grant: unmet.hint }
  if ((await shown([tool])).length === 0)
    return { why: 'it is code of a project that is not trusted', grant: TRUST_ADVICE }
  return whyNever(tool, globals, limits)
}
