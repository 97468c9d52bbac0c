import type { OfferNames, OfferOptions } from '../skill-tools/offer-options.js'

export interface SkillToolsOptions extends OfferOptions {
  /** Called with what a tool gave, before the model is shown it. */
  onToolResult?: ((result: unknown, use: ToolUse) => void) | undefined
}

/** The call that a result is of. */
export interface ToolUse {
  tool: string
  args: unknown
  /** The id that the model gave the call. */
  callId: string | undefined
}

/** The names of the tools that lead to skills. */
export type SkillToolNames = OfferNames
