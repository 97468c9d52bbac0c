import type { JsonObject, JsonValue } from '../base/json.js'
import type { Ask } from './question.js'

/** The parts of a context that only the running tool gets. */
export interface OwnParts {
  /** The tool's configuration, checked, with defaults. */
  readonly config: JsonObject
  /** The variables of the environment that it declares and the host lets through. */
  readonly env: Readonly<Record<string, string>>
  /** Its slot in this session, as one object that its calls share; undefined where it declares none. */
  state: JsonValue | undefined
  readonly ask: Ask
}

/** The property of a context with these parts: no name that code meets by chance. */
export const OWN: unique symbol = /* @__PURE__ */ Symbol.for('agent-apps.own')

/** True for a tool that declares something of its own, which must be made ready before it runs. */
export function declaresOwn(metadata: JsonObject): boolean {
  return (metadata.config ?? metadata.env ?? metadata['state-slot'] ?? undefined) !== undefined
}
