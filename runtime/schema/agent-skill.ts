import { AgentAppsError } from '../../src/base/error.js'
import type { JsonObject } from '../../src/base/json.js'
import { type AgentSettings, agentFault, agentSettings } from '../../src/own/agent-settings.js'
import { chainOf } from '../cascade/chain-of.js'
import type { CallContext, Context } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { compare } from './compare-schema.js'
import { resolveJsonSchema } from './interpolation-roots.js'

/** A skill's settings for its run by a model. */
export interface AgentSkill extends AgentSettings {
  /** The schema of the result, resolved; null if the result is the model's text. */
  readonly returns: JsonObject | null
  /** Checks a result against that schema. Throws RESULT_INVALID, SCHEMA_INVALID. */
  readonly check: (result: unknown) => Promise<void>
}

/**
 * Reads a skill's `agent` and `returns`, for its run by a model; without a skill, the defaults.
 *
 * @throws DEFINITION_INVALID if `agent` has a fault
 */
export async function ctxAgent(ctx: Context, skill: ToolDef | null): Promise<AgentSkill> {
  const { agent } = skill?.frontmatter.metadata ?? {}
  const fault = agentFault(agent)
  if (skill && fault !== null) {
    throw new AgentAppsError('DEFINITION_INVALID', `"agent" of "${skill.name}" ${fault}.`, {
      hint: 'Correct the metadata of the skill: `agent-apps check` names the line.',
      tool: skill.name,
    })
  }
  const { schemas } = skill ? await chainOf(skill, ctx.globals) : {}
  const written = skill?.frontmatter.returns ?? schemas?.returns
  const returns = written ? resolveJsonSchema(written, ctx) : null
  return {
    ...agentSettings(agent),
    returns,
    async check(result) {
      if (!skill || !returns) return
      // Checked as `output` of a structured result: on its own, a result `{ error }` would pass as a failure.
      const given = { title: '', metadata: {}, output: result }
      await compare(skill, 'returns', returns, given, ctx as CallContext)
    },
  }
}
