import { AgentAppsError, type JsonObject } from 'agent-apps'
import type { ModelTool } from '../../skill-tools/model-tool.js'
import { shownResult } from '../../skill-tools/shown.js'

/** The tool by which a model gives its result. */
export const RESULT_TOOL = 'give-result'

/** The result that a model's work must give. */
export interface ExpectedResult {
  schema: JsonObject
  /** Throws if a result does not fit the schema, with the hint. */
  check: (result: unknown, hint: string) => Promise<void>
}

/** The tool that takes a model's result, and tells the model if it does not fit. */
export function resultTool({ schema, check }: ExpectedResult, finish: (result: unknown) => void): ModelTool {
  const isWhole = takesObjects(schema)
  return {
    runs: null,
    description: 'Gives the result of your work, and ends it. Call it once, when you are done.',
    schema: isWhole ? { ...schema, type: 'object' } : wrapped(schema),
    callOf: () => null,
    run: async input => {
      const result = isWhole ? input : unwrapped(input)
      await check(result, AGAIN)
      finish(result)
      return 'Taken.'
    },
    show: shownResult,
  }
}

/** Models call tools only with objects. */
function takesObjects({ type, properties }: JsonObject): boolean {
  return type === 'object' || (type === undefined && properties !== undefined)
}

/** Wraps a schema into an object's with the property `result`. Definitions stay at the root. */
function wrapped({ $defs, definitions, $schema, ...result }: JsonObject): JsonObject {
  return {
    ...($schema !== undefined && { $schema }),
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    ...{ type: 'object', properties: { result }, required: ['result'], additionalProperties: false },
  }
}

const AGAIN = `Call ${RESULT_TOOL} again, with arguments that fit its schema.`

function unwrapped(input: unknown): unknown {
  if (typeof input === 'object' && input !== null && 'result' in input) return input.result
  throw new AgentAppsError('ARGS_INVALID', '"result" is missing.', { hint: AGAIN })
}
