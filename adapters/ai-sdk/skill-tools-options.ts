import { checkOptionsOf, type OfferNames, type OfferOptions } from '../skill-tools/offer-options.js'

export interface SkillToolsOptions extends OfferOptions {
  /** The session of the calls of an `agent`: what is kept and allowed for a session, and who may answer about it. */
  sessionId?: string | undefined
  /** Whose calls those of an `agent` are. */
  userId?: string | undefined
  /**
   * Who asks a person to approve a call: the runtime, by its `interact`, or the application, by the SDK's approval
   * requests. Default: `runtime`.
   */
  approval?: 'runtime' | 'sdk' | undefined
  /** The secret that the SDK signs approval requests with, for `approval: 'sdk'` without a `store`. */
  secret?: string | Uint8Array | undefined
}

/** The names of the tools that lead to skills. */
export type SkillToolNames = OfferNames

/** Throws OPTIONS_INVALID for what would otherwise be overlooked. */
export function checkOptions(options: SkillToolsOptions): void {
  const check = checkOptionsOf('skillTools')
  check.offer(options, ['approval', 'secret', 'sessionId', 'userId'])
  check.only('agent', options, ['sessionId', 'userId'])
  check.oneOf('approval', options.approval, ['runtime', 'sdk'])
}
