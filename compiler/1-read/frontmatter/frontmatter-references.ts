import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.js'
import { parsePatterns } from '../../../src/patterns/tool-pattern.js'
import { isName } from '../../../src/skill/names.js'
import type { ReferenceKind, ToolReference } from '../../../src/skill/reference.js'
import type { Place } from '../../diagnostics/diagnostics.js'
import type { Locator } from '../../diagnostics/source-text.js'

/** The references in frontmatter: bases, the delegate, and tools that `allowed-tools` names exactly. */
export function frontmatterReferences(verbatim: JsonObject, at: Locator): ToolReference[] {
  const { metadata } = verbatim
  const own = isJsonObject(metadata) ? metadata : {}
  return [
    ...bases(own.$inherit, at),
    ...delegate(own.delegate, at),
    ...allowed(verbatim['allowed-tools'], at),
  ]
}

function bases(value: JsonValue | undefined, at: Locator): ToolReference[] {
  return textsIn(value).flatMap(([text, ...index]) =>
    text.trim() === '' ? [] : [reference('inherit', text, at.value('metadata', '$inherit', ...index))],
  )
}

function delegate(value: JsonValue | undefined, at: Locator): ToolReference[] {
  if (typeof value !== 'string' || value === '' || value.startsWith('inline://')) return []
  return [reference('delegate', value, at.value('metadata', 'delegate'))]
}

/** The tools named in `allowed-tools`, each once: `bash(git:*) bash(npm:*)` names one tool. */
function allowed(value: JsonValue | undefined, at: Locator): ToolReference[] {
  if (value === undefined) return []
  const named = new Map<string, ToolReference>()
  for (const [list, ...index] of textsIn(value)) {
    for (const { selects, text, offset, options, problem } of parsePatterns(list)) {
      const name = /^[^(]*/.exec(text)?.[0] ?? ''
      if (selects !== 'name' || problem || options.deny || !isName(name) || named.has(name)) continue
      named.set(name, reference('allowed-tools', name, at.within(list, offset, 'allowed-tools', ...index)))
    }
  }
  return [...named.values()]
}

/** A string, or the strings of an array with their indices. */
function textsIn(value: JsonValue | undefined): [text: string, ...index: number[]][] {
  if (typeof value === 'string') return [[value]]
  if (!Array.isArray(value)) return []
  return value.flatMap((text, index): [string, number][] => (typeof text === 'string' ? [[text, index]] : []))
}

export function reference(kind: ReferenceKind, ref: string, { line, column }: Place): ToolReference {
  return { kind, ref, line, column }
}
