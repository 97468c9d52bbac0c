import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.js'
import { editDistance } from '../../../src/base/nearest.js'
import type { CascadeResolution, CascadeTool, ResolvedCascade } from '../../../src/cascade/types.js'
import { namesKey, readKeyPattern } from '../../../src/patterns/key-patterns.js'
import type { Role } from '../../../src/skill/frontmatter.js'
import { CORE_METADATA_KEYS, isMetaKey } from '../../../src/skill/metadata-keys.js'
import type { ProjectTools } from './cascade-tools.js'
import type { Slip } from './slip.js'

/** The annotations that mean something for one role alone. */
const FOR_ROLE: Record<string, Role> = {
  $global: 'main',
  $local: 'main',
  $hook: 'middleware',
  $self: 'middleware',
}

/** The annotations that name keys; true where they may be patterns and paths. */
const NAMING: Record<string, boolean> = {
  $private: true,
  $public: true,
  $remove: true,
  $order: false,
  $static: false,
  $dynamic: false,
  $merge: false,
}

/**
 * Finds annotations that do nothing: those of another role, and those that name keys which a tool neither
 * has nor gets. Where it is uncertain whether a tool gets a key, it counts as given, so that no report is
 * wrong.
 *
 * @param isOpen true for a tool that depends on what only the runtime knows, or has a fault
 */
export function idleAnnotations(
  { tools }: CascadeResolution,
  { tool: toolOf, isKnown, address }: ProjectTools,
  isOpen: (id: string) => boolean,
): Slip[] {
  return [...tools.values()].flatMap(resolved => {
    const { id } = resolved.tool
    const isAnnotated = Object.keys(resolved.tool.metadata).some(isMetaKey)
    if (!isAnnotated || address(id)[0] === 'library' || !isKnown(id)) return []
    const foreign = foreignAnnotations(resolved.tool)
    if (resolved.hasManySources || [id, ...resolved.sources].some(one => isOpen(one) || !isKnown(one)))
      return foreign
    const others = resolved.sources.flatMap(source => toolOf(source) ?? [])
    return [...foreign, ...namedInVain(resolved, others)]
  })
}

function foreignAnnotations({ id, role, metadata }: CascadeTool): Slip[] {
  return Object.entries(FOR_ROLE).flatMap(([key, needed]) => {
    if (metadata[key] === undefined || role === needed) return []
    return [
      slip(
        id,
        [key],
        `${key} does nothing in a tool that is not of role ${needed}`,
        `Take it out, or write role: ${needed}.`,
      ),
    ]
  })
}

function namedInVain({ tool, metadata }: ResolvedCascade, others: readonly CascadeTool[]): Slip[] {
  const effective = [...metadata].map(([key, { value }]): [string, JsonValue] => [key, value])
  const known = [...effective, ...[tool, ...others].flatMap(keysOf)]
  return Object.entries(NAMING).flatMap(([annotation, mayBePattern]) =>
    named(annotation, tool.metadata[annotation]).flatMap(({ text, path }) => {
      if (text === '*' || CORE_METADATA_KEYS.includes(text)) return []
      const pattern = mayBePattern ? readKeyPattern(text) : null
      // An unreadable pattern has a diagnostic of its own.
      if (typeof pattern === 'string') return []
      if (known.some(([key, value]) => (pattern ? namesKey(pattern, key, value) : key === text))) return []
      const near = known.find(([key]) => editDistance(text, key, 1) === 1)?.[0]
      const message = `${annotation} names ${JSON.stringify(text)}, which the tool neither has nor gets from another`
      return [
        slip(tool.id, path, message, near ? `Did you mean ${near}?` : 'Correct the key, or take it out.'),
      ]
    }),
  )
}

/** All keys that a tool has or may give to others. */
function keysOf({ metadata }: CascadeTool): [string, JsonValue][] {
  const given = [metadata.$local, metadata.$global].filter(isJsonObject)
  return [metadata, ...given].flatMap(plainEntries)
}

function plainEntries(values: JsonObject): [string, JsonValue][] {
  return Object.entries(values).filter(([key]) => !isMetaKey(key))
}

function named(
  annotation: string,
  value: JsonValue | undefined,
): { text: string; path: (string | number)[] }[] {
  if (isJsonObject(value)) return Object.keys(value).map(text => ({ text, path: [annotation, text] }))
  if (!Array.isArray(value)) return []
  return value.flatMap((text, index) =>
    typeof text === 'string' ? [{ text, path: [annotation, index] }] : [],
  )
}

function slip(tool: string, path: (string | number)[], message: string, hint: string): Slip {
  return { code: 'annotation-idle', tool, path, found: [message, hint] }
}
