import { disk } from '#disk'
import { isAgentAppsError } from '../../src/base/error.js'
import type { JsonObject, JsonValue } from '../../src/base/json.js'
import { parseInline } from '../../src/skill/inline-reference.js'
import { namespaceOf } from '../../src/skill/names.js'
import { brokenFault, CYCLE_HINT, mendFirst, quoted } from '../../src/skill/skill-faults.js'
import { diagnosticInEntry } from '../directory/diagnostic-in-entry.js'
import { toolNotFound } from '../find/call-faults.js'
import { delegateSource, delegateTarget } from '../find/delegate-source.js'
import { resolveWithin } from '../find/resolve-within.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'

type Problem = { message: string; hint: string }

const HINT = 'Give the name of a tool, a path relative to the file, or an `inline://` text.'

/**
 * Finds why a delegate cannot be called, as far as that is known without running code; null where it can.
 *
 * @param writer the tool whose metadata has the delegate
 */
export async function delegateProblem(
  delegate: JsonValue | undefined,
  writer: ToolDef,
  globals: Globals,
): Promise<Problem | null> {
  const source = sourceOf(writer)
  // Null takes an inherited one away, and what a program registers is a function.
  if (delegate === undefined || delegate === null || !source) return null
  if (typeof delegate !== 'string')
    return { message: `the delegate ${JSON.stringify(delegate)} is not a string`, hint: HINT }
  if (delegate.startsWith('inline://')) return inlineProblem(delegate)
  const code = delegateSource(source)
  if (code !== null) {
    const isThere = source.record.delegate || !('file' in code) || disk.stat(code.file) !== null
    return isThere ? null : { message: `the delegate ${quoted(delegate)} is not a file`, hint: HINT }
  }
  const target = delegateTarget(delegate, source)
  const found = await resolveWithin(namespaceOf(writer.name), target, globals)
  if (found?.broken) {
    const broken = diagnosticInEntry(found.broken, globals) ?? found.broken
    const { message, hint } = brokenFault(broken)
    return { message: `the delegate ${quoted(delegate)} is broken: ${message}`, hint: mendFirst(hint) }
  }
  if (found) {
    const way = await wayRound(writer, globals)
    const back = way && `the delegate ${quoted(delegate)} leads back here: ${way.join(' → ')}`
    return back ? { message: back, hint: CYCLE_HINT } : null
  }
  const { hint } = await toolNotFound(target, globals)
  return { message: `the delegate ${quoted(delegate)} leads to no tool`, hint }
}

/** The names on the way of delegates from a tool back to itself; null where it does not come back. */
async function wayRound(first: ToolDef, globals: Globals): Promise<string[] | null> {
  const way: ToolDef[] = []
  for (let at: ToolDef | null = first; at && !way.includes(at); ) {
    way.push(at)
    const source = sourceOf(at)
    const { delegate }: JsonObject = at.frontmatter.metadata
    if (!source || typeof delegate !== 'string' || delegate.startsWith('inline://')) return null
    if (delegateSource(source) !== null) return null
    const target = delegateTarget(delegate, source)
    at = (await resolveWithin(namespaceOf(at.name), target, globals))?.tool ?? null
    if (at === first) return [...way, first].map(({ name }) => name)
  }
  return null
}

function inlineProblem(delegate: string): Problem | null {
  try {
    parseInline(delegate)
    return null
  } catch (error) {
    if (!isAgentAppsError(error)) throw error
    return { message: error.message.replace(/^T/, 't').replace(/\.$/, ''), hint: error.hint }
  }
}
