import type { OfferNames, OfferOptions } from '../skill-tools/offer-options.js'

/** The options of `skillTools`. */
export interface SkillToolsOptions extends OfferOptions {
  /** Called with each tool's result before the model gets it. */
  onToolResult?: ((result: unknown, use: ToolUse) => void) | undefined
}

/** The call that a result belongs to. */
export interface ToolUse {
  tool: string
  args: unknown
  /** The model's id for the call. */
  callId: string | undefined
}

/** The names of the tools that load skills. */
export type SkillToolNames = OfferNames
