import { isJsonObject, type JsonObject } from '../../../src/base/json.js'
import { agentFault } from '../../../src/own/agent-settings.js'
import { declarationFaults, declaredBy } from '../../../src/own/declared.js'
import { isInRange } from '../../../src/own/version-range.js'
import { checkSchema } from '../../../src/schema/check-schema.js'
import { type Finding, finding } from '../../diagnostics/diagnostics.js'
import type { Locator } from '../../diagnostics/source-text.js'
import { VERSION } from '../../files/package-place.js'

/** Checks what a tool declares for itself: what has the wrong form has no effect. */
export function checkDeclarations(metadata: JsonObject, at: Locator): Finding[] {
  // Other hosts have a `requires` of their own, such as `{ bins: [git] }`.
  const faults = declarationFaults(metadata).filter(({ key }) => key !== 'requires')
  const findings = faults.map(({ key, expected }) =>
    finding('declaration-invalid', at.value('metadata', key), key, `must be ${expected}`),
  )
  return [
    ...findings,
    ...checkAgent(metadata, at),
    ...checkDeclaredSchemas(metadata, at),
    ...checkRequires(metadata, at),
  ]
}

function checkAgent({ agent }: JsonObject, at: Locator): Finding[] {
  const fault = agentFault(agent)
  return fault === null ? [] : [finding('agent-invalid', at.value('metadata', 'agent'), fault)]
}

function checkDeclaredSchemas(metadata: JsonObject, at: Locator): Finding[] {
  const { config, state } = declaredBy(metadata)
  const schemas = { config, 'state-slot': state?.schema }
  return Object.entries(schemas).flatMap(([key, schema]) => {
    if (!isJsonObject(schema)) return []
    const checked = checkSchema(schema)
    if (!('problem' in checked)) return []
    const inside = key === 'config' ? checked.problem.path : ['schema', ...checked.problem.path]
    return [finding('schema-invalid', at.value('metadata', key, ...inside), key, checked.problem.reason)]
  })
}

/** A text that has nothing but what ranges of versions have: any other is another host's. */
const RANGE_LIKE = /^[\s\d.xX*<>=~^|-]+$/

function checkRequires({ requires }: JsonObject, at: Locator): Finding[] {
  if (typeof requires !== 'string' || !RANGE_LIKE.test(requires)) return []
  const place = at.value('metadata', 'requires')
  const isMet = isInRange(VERSION, requires)
  if (isMet === null)
    return [finding('declaration-invalid', place, 'requires', 'is not a range of versions: write `>=0.1.0`')]
  return isMet ? [] : [finding('requires-unmet', place, requires, VERSION)]
}
