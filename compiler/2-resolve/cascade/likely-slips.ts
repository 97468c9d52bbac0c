import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.js'
import { editDistance } from '../../../src/base/nearest.js'
import type {
  CascadeResolution,
  CascadeTool,
  ResolvedCascade,
  ValueOrigin,
} from '../../../src/cascade/types.js'
import { namesKey, readKeyPattern } from '../../../src/patterns/key-patterns.js'
import { type CheckedSchema, checkSchema } from '../../../src/schema/check-schema.js'
import { interpretSchema } from '../../../src/schema/interpret-schema.js'
import type { Role } from '../../../src/skill/frontmatter.js'
import { CORE_METADATA_KEYS, isMetaKey } from '../../../src/skill/metadata-keys.js'
import { memoize } from '../../files/memoize.js'
import type { DirectoryProblem } from '../../records/linked-directory.js'
import type { ProjectTools } from './cascade-tools.js'

/** A likely mistake in a tool's metadata that keeps nothing from running. */
export interface Slip extends Omit<DirectoryProblem, 'name'> {
  /** The id of the tool that wrote it. */
  tool: string
}

/**
 * Finds the likely mistakes in the metadata of a project's tools.
 *
 * @param isOpen true for a tool with a fault, or one that only the runtime can resolve
 */
export function likelySlips(
  resolution: CascadeResolution,
  tools: ProjectTools,
  isOpen: (id: string) => boolean,
): Slip[] {
  return [
    ...wrongConfigurations(resolution, tools),
    ...nearMiddleware(tools),
    ...idleAnnotations(resolution, tools, isOpen),
  ]
}

/**
 * Finds configurations that do not fit the `params` of their middleware, each once, where the value is
 * written. Values with `${…}` are left out: they are known only when the middleware runs.
 */
function wrongConfigurations({ tools }: CascadeResolution, { tool: toolOf, isKnown }: ProjectTools): Slip[] {
  const slips = new Map<string, Slip>()
  const schemas = new Map<JsonObject, CheckedSchema | null>()
  // A value that is promoted to thousands of tools is checked once.
  const seen = new Map<ValueOrigin, Set<JsonValue>>()
  for (const { metadata, chain } of tools.values()) {
    for (const { key, tool: middleware, args } of chain) {
      const params = toolOf(middleware)?.params
      const from = metadata.get(key)?.from
      const compared = from && seen.get(from)
      if (!params || !from || compared?.has(args)) continue
      seen.set(from, (compared ?? new Set()).add(args))
      if (![from.tool, middleware].every(isKnown) || JSON.stringify(args).includes('${')) continue
      const schema = schemas.get(params) ?? soundSchema(params)
      schemas.set(params, schema)
      const [issue] = schema ? interpretSchema(params, schema, args) : []
      if (!issue) continue
      const { tool, path } = from
      const found = [key, issue.message]
      slips.set(JSON.stringify([tool, path, found]), { code: 'middleware-config', tool, path, found })
    }
  }
  return [...slips.values()]
}

/** The checked schema; null where the schema itself is at fault, which is reported for the middleware. */
function soundSchema(schema: JsonObject): CheckedSchema | null {
  if ('$resolve' in schema) return null
  const checked = checkSchema(schema)
  return 'problem' in checked ? null : checked
}

/** Shorter keys are near to too many names. */
const KEY_LENGTH_MIN = 5

/**
 * Finds keys that are one edit from the name of a middleware, the project's or the library's, and name no
 * tool themselves.
 */
function nearMiddleware({ directories, shipped, firstNamed }: ProjectTools): Slip[] {
  const known = [...directories.flat(), ...shipped.values()].flatMap(({ name, role }) =>
    role === 'middleware' ? [name] : [],
  )
  const nearName = memoize(key => known.find(name => editDistance(key, name, 1) === 1) ?? null)
  return directories.flat().flatMap(({ id, metadata }) =>
    Object.keys(metadata).flatMap(key => {
      if (key.length < KEY_LENGTH_MIN || key.startsWith('$') || CORE_METADATA_KEYS.includes(key)) return []
      const near = nearName(key)
      if (near === null || firstNamed(key) || shipped.has(key)) return []
      return [{ code: 'metadata-near-key' as const, tool: id, path: [key], found: [key, near] }]
    }),
  )
}

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
 * Finds annotations without effect: of another role, and naming keys that a tool neither has nor gets. If it
 * is uncertain whether a tool gets a key, it counts as having it, so that no report is wrong.
 */
function idleAnnotations(
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
        `${key} has no effect in a tool without the role ${needed}`,
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
      // An unreadable pattern has its own diagnostic.
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

/** All keys that a tool has or may pass to others. */
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
