import { AgentAppsError, type JsonObject, type JsonValue } from 'agent-apps'
import type { ModelTool } from '../../skill-tools/model-tool.js'
import { shownResult } from '../../skill-tools/shown.js'

/** The name of the tool that a model gives its result by. */
export const RESULT_TOOL = 'give-result'

/** The schema that a result must fit. */
export interface ExpectedResult {
  schema: JsonObject
  /** Throws where a result does not fit the schema, with the hint. */
  check: (result: unknown, hint: string) => Promise<void>
}

/** A tool that takes a model's result, and tells the model why a result does not fit. */
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

/** Models call tools with objects alone. */
function takesObjects({ type, properties }: JsonObject): boolean {
  return type === 'object' || (type === undefined && properties !== undefined)
}

/** A schema as that of an object with one property. What its references lead to stays at the root. */
function wrapped({ $defs, definitions, $schema, ...result }: JsonObject): JsonObject {
  const root: Record<string, JsonValue | undefined> = { $schema, $defs, definitions }
  const kept = Object.fromEntries(
    Object.entries(root).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  )
  return {
    ...kept,
    type: 'object',
    properties: { result },
    required: ['result'],
    additionalProperties: false,
  }
}

const AGAIN = `Call ${RESULT_TOOL} again, with what it describes.`

function unwrapped(input: unknown): unknown {
  if (typeof input === 'object' && input !== null && 'result' in input) return input.result
  throw new AgentAppsError('ARGS_INVALID', 'There is no "result".', {
    hint: AGAIN,
  })
}
