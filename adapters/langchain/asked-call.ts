import type { Authorization } from 'agent-apps/runtime'
import type { ToolCall } from '../skill-tools/model-tool.js'

/** A request for a person's approval. */
export type WaitingRequest = NonNullable<Authorization['request']>

/** A model's call that a person is asked about. */
export interface AskedCall {
  /** The id by which the runtime knows it. */
  id: string
  /** The name that the model called. */
  name: string
  call: ToolCall
  request: WaitingRequest
}
