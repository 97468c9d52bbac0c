import { definedFields, type JsonObject } from '../base/json.js'
import type { ToolFrontmatter, ToolKind } from '../skill/frontmatter.js'

/** The keys of `metadata` that make a skill more than a text, and what each is. */
const CODE_KEYS: readonly (readonly [key: string, what: string])[] = [
  ['delegate', 'has a delegate'],
  ['agent', 'is run by a model'],
  ['$inherit', 'inherits from another tool'],
  ['env', 'reads the environment'],
  ['interpolate', 'has expressions that are filled in'],
]

/** Why a published tool is not only a text, as the end of a sentence; null if it is. */
export function codeIn(kind: ToolKind, { metadata }: ToolFrontmatter): string | null {
  if (kind === 'code') return 'is code'
  const found = CODE_KEYS.find(([key]) => (metadata[key] ?? false) !== false)
  return found ? found[1] : null
}

/** The keys of `metadata` that only narrow what agents may do, and those that only tell of a skill. */
const KEPT_KEYS = ['gated', 'permissions', 'trust', 'enabled', 'requires', 'requires-tools', 'triggers']

/** Tags that have a meaning here begin with this. */
const OWN_TAG = 'meta-'

/**
 * The frontmatter of a published tool as a runtime uses it. Whatever its author wrote, it is a text: no main skill,
 * no middleware, no directive, and without arguments.
 */
export function remoteFrontmatter(kind: ToolKind, written: ToolFrontmatter): ToolFrontmatter {
  const { name, title, description, visibility, license, compatibility, metadata, extra, tags } = written
  const kept: JsonObject = {}
  for (const key of KEPT_KEYS) if (Object.hasOwn(metadata, key)) kept[key] = metadata[key] as JsonObject
  return definedFields({
    ...{ name, title, description, license, compatibility, extra },
    // Whatever the field says, its author wants it hidden.
    visibility: visibility === undefined ? undefined : 'hidden',
    role: kind === 'folder' ? 'context' : undefined,
    'allowed-tools': written['allowed-tools'],
    tags: tags.filter(tag => !tag.startsWith(OWN_TAG)),
    metadata: kept,
  }) as ToolFrontmatter
}
