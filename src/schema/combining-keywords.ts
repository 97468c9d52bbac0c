import { Fault, type Instance, type Outcome } from './comparison.js'
import { either } from './issues.js'
import type { Keywords, Schema } from './keywords.js'

/** Alternatives that a message names; the rest it counts. */
const FORMS_MAX = 10

/** Compares with the keywords that apply more schemas to the same instance, such as `$ref`, `anyOf` and `if`. */
export function compareCombined(schema: Keywords, outcome: Outcome): void {
  const { $ref, allOf = [], anyOf, oneOf, not } = schema
  const { instance, comparison } = outcome
  if ($ref !== undefined) outcome.apply(comparison.target($ref))
  for (const one of allOf) outcome.apply(one)
  if (anyOf !== undefined) compareAlternatives(anyOf, Infinity, outcome)
  if (oneOf !== undefined) compareAlternatives(oneOf, 1, outcome)
  if (not !== undefined && comparison.compare(not, instance).faults.length === 0)
    outcome.fail(() => `something else than ${comparison.describe(not)}`)
  if (schema.if === undefined) return
  const condition = comparison.compare(schema.if, instance)
  const holds = condition.faults.length === 0
  if (holds) outcome.include(condition)
  const branch = holds ? schema.then : schema.else
  if (branch !== undefined) outcome.apply(branch)
}

/** Compares with alternatives, of which at least one must fit, and no more than `most`. */
function compareAlternatives(schemas: readonly Schema[], most: number, outcome: Outcome): void {
  const outcomes = schemas.map(one => outcome.comparison.compare(one, outcome.instance))
  const fitting = outcomes.filter(({ faults }) => faults.length === 0)
  for (const one of fitting) outcome.include(one)
  if (fitting.length > most)
    outcome.fail(`exactly one of ${schemas.length} forms, and it fits ${fitting.length} of them`)
  if (fitting.length === 0) for (const fault of nearestFaults(schemas, outcomes, outcome)) outcome.add(fault)
}

/**
 * Chooses the faults to report where no alternative fits. Where only one alternative has no decisive fault,
 * that one was meant, and its faults are given. Otherwise one fault names what the alternatives expect.
 */
function nearestFaults(
  schemas: readonly Schema[],
  outcomes: readonly Outcome[],
  { instance, comparison }: Outcome,
): readonly Fault[] {
  const meant = outcomes.filter(({ faults }) => !faults.some(fault => isDecisive(fault, instance)))
  const [only] = meant
  if (only && meant.length === 1) return only.faults
  const merged = meant.length === 0 ? mergedFault(outcomes, instance) : null
  if (merged) return [merged]
  const forms = schemas.filter((_, index) => meant.length === 0 || meant.includes(outcomes[index] as Outcome))
  const expected = (): string => {
    const named = forms.slice(0, FORMS_MAX).map(form => comparison.describe(form))
    if (forms.length > FORMS_MAX) named.push(`one of ${forms.length - FORMS_MAX} more`)
    return either(named)
  }
  return [new Fault(instance, meant.length === 0 ? 'type' : 'other', expected)]
}

/** True for a fault in the type, or in a `const` or `enum` of the instance or of a child. */
function isDecisive({ instance: { depth }, kind }: Fault, here: Instance): boolean {
  return depth === here.depth ? kind !== 'other' : depth === here.depth + 1 && kind === 'value'
}

/** One fault for alternatives that each allow other values of the same property; else null. */
function mergedFault(outcomes: readonly Outcome[], here: Instance): Fault | null {
  const decisive = outcomes.map(({ faults }) =>
    faults.find(({ kind, instance }) => kind === 'value' && instance.depth === here.depth + 1),
  )
  const key = decisive[0]?.instance.step
  if (key === undefined || decisive.some(fault => fault?.instance.step !== key)) return null
  const expected = (): string => either(decisive.flatMap(fault => fault?.issue.expected ?? []))
  return new Fault(here.child(key), 'value', expected)
}
