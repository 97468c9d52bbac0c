import { AgentAppsError } from '../base/error.js'
import { isName, isToolName } from './names.js'

/** The meaning of a tool reference. */
export type Reference =
  /** Nothing: the empty string. */
  | { kind: 'none' }
  /** A name, bare or qualified (`acme:deploy`), searched over the path entries. */
  | { kind: 'name'; name: string }
  /** A path or a `file://` URI, loaded directly; `fragment` picks one of several tools in the file. */
  | { kind: 'path'; path: string; fragment?: string }
  | { kind: 'file-url'; url: string; fragment?: string }
  /** `layer://<layer>/<name>`: the tool of that name in that layer, even if it is shadowed. */
  | { kind: 'layer'; layer: string; name: string }
  /** Any other URI: known only if a tool was registered for it. */
  | { kind: 'uri'; scheme: string; uri: string }

/**
 * Parses a tool reference. A string that is neither a URI nor a name is a path; a path that begins like a
 * qualified name is written with `./`.
 *
 * `word-count` and `acme:deploy` → names; `./tools.skill.md#sum` → a path with a fragment; `layer://global/review` → a layer.
 */
export function parseReference(text: string): Reference {
  if (text === '') return { kind: 'none' }
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase()
  if (scheme === 'file') return { kind: 'file-url', ...splitFragment(text, 'url') }
  if (scheme === 'layer') {
    const [layer = '', name = '', ...rest] = text.slice('layer://'.length).split('/')
    return rest.length === 0 && isName(name) ? { kind: 'layer', layer, name } : { kind: 'none' }
  }
  if (scheme !== undefined) return { kind: 'uri', scheme, uri: text }
  if (isName(text)) return { kind: 'name', name: text }
  return { kind: 'path', ...splitFragment(text, 'path') }
}

/** Splits `#name` off the end; a `#` before anything but a tool's name is part of the path. */
function splitFragment<Key extends string>(
  text: string,
  key: Key,
): Record<Key, string> & { fragment?: string } {
  const hash = text.lastIndexOf('#')
  const fragment = text.slice(hash + 1)
  if (hash < 1 || !isToolName(fragment)) return { [key]: text } as Record<Key, string>
  return { [key]: text.slice(0, hash), fragment } as Record<Key, string> & { fragment: string }
}

/** How a tool refers to something: by which of its fields, or in its content. */
const REFERENCE_KINDS = [
  /** `$inherit` of its metadata. */
  'inherit',
  /** `delegate` of its metadata, except `inline://`. */
  'delegate',
  /** An exact name in `allowed-tools`; denied names are not references. */
  'allowed-tools',
  /** `:skill[ref]` or `:tool[ref]`. */
  'directive',
  /** `:include[path]`. */
  'include',
  /** A relative Markdown link or image. */
  'link',
] as const

/** The place of a reference in its skill, such as `delegate` or `link`. */
export type ReferenceKind = (typeof REFERENCE_KINDS)[number]

/**
 * A reference of a tool, as written: `{ kind: 'delegate', ref: 'word-count', line: 5, column: 13 }`.
 * Its target depends on the other tools.
 */
export interface ToolReference {
  kind: ReferenceKind
  /** A tool reference; for a link or an include, a path from the file's folder. */
  ref: string
  /** Line in the author's file, frontmatter included, from 1. */
  line: number
  /** Column in UTF-16 units, from 1. */
  column: number
}

/** Sorts references by their position in the file. */
export function inOrder(references: readonly ToolReference[]): ToolReference[] {
  return references.toSorted((a, b) => a.line - b.line || a.column - b.column)
}

/** True for an array of references, from any source. */
export function isReferences(value: unknown): value is ToolReference[] {
  return Array.isArray(value) && value.every(isReference)
}

function isReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { kind, ref, line, column } = value as Record<keyof ToolReference, unknown>
  const isKnown = REFERENCE_KINDS.some(known => known === kind)
  return isKnown && typeof ref === 'string' && isCount(line) && isCount(column)
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1
}

/** How often base64 may be nested. */
const LAYERS = 8

/**
 * Reads `inline://<tag>,<payload>`: code or Markdown as written, or base64 of another such reference. `\${`
 * in a payload is `${`: it is written in this way in YAML, where `${` would be interpolated.
 *
 * @throws INLINE_INVALID
 */
export function parseInline(reference: string): { kind: 'code' | 'markdown'; text: string } {
  let rest = reference
  for (let layer = 0; layer < LAYERS; layer++) {
    const [, tag, payload] = /^inline:\/\/([a-z0-9]+),([\s\S]*)$/.exec(rest) ?? []
    if (payload === undefined) throw inlineInvalid('it is not of the form inline://<tag>,<text>')
    if (tag === 'code' || tag === 'markdown') return { kind: tag, text: payload.replaceAll('\\${', '${') }
    if (tag !== 'base64') throw inlineInvalid(`"${tag}" is none of code, markdown and base64`)
    rest = decodeBase64(payload)
  }
  throw inlineInvalid(`base64 is nested more than ${LAYERS} times`)
}

/**
 * An `inline://` reference with a `${` that no backslash escapes. Interpolated text must never become code.
 */
const INTERPOLATED = /^inline:\/\/[\s\S]*?(?<!\\)\$\{/

/** True for an inline reference that would be interpolated, so that it is never run. */
export function isInterpolatedInline(text: string): boolean {
  return INTERPOLATED.test(text)
}

function decodeBase64(payload: string): string {
  try {
    const bytes = Uint8Array.from(atob(payload.trim()), character => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw inlineInvalid('its text is not base64 of UTF-8')
  }
}

function inlineInvalid(problem: string): AgentAppsError {
  return new AgentAppsError('INLINE_INVALID', `The inline reference cannot be read: ${problem}.`, {
    hint: 'Write inline://code,…, inline://markdown,… or inline://base64,….',
  })
}
