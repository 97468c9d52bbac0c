import { definedFields, isJsonObject, type JsonObject, type JsonValue } from '../base/json.js'
import { INTERNAL_TAG, normalizeTags } from './names.js'

/**
 * `main`: decides for its folder, `middleware`: runs around other tools, `context`: is read. Absent: a tool
 * like any other.
 */
export type Role = 'main' | 'middleware' | 'context'

/** The format a tool was written in: `SKILL.md`, `*.skill.md`, or code. */
export type ToolKind = 'folder' | 'file' | 'code'

/** A tool's frontmatter with the meaning of every field decided, for the runtime and hosts. */
export interface ToolFrontmatter {
  /** The name that resolves to this tool. */
  name: string
  /** The author's name, if it breaks the name rule and the folder's name is used instead. */
  title?: string
  /** Its use in one sentence. Absent: models are shown its name alone. */
  description?: string
  /** Default `context` for a folder skill, otherwise none. */
  role?: Role
  /**
   * The role that an unknown role probably means. An author who meant middleware must not believe
   * that it guards something.
   */
  roleMeant?: Role
  /** True for a folder skill whose author wrote `role: context`, which it has by default. */
  inPrompt?: true
  /** `hidden`: not listed and not available to agents; code may still call it. */
  visibility?: 'hidden'
  /** Tags that patterns select it by, normalized. */
  tags: string[]
  /** JSON Schema of the arguments. */
  params?: JsonObject
  /**
   * True if `params` is known only by running the code, which looking the tool up does. Never in an index.
   */
  paramsUnknown?: true
  /** JSON Schema of the result. */
  returns?: JsonObject
  /** Patterns of the tools it may call, separated by spaces. Absent: all. */
  'allowed-tools'?: string
  /** The licence of the skill, as its author wrote it. */
  license?: string
  /** The environment that the skill needs, as its author wrote it. */
  compatibility?: string
  /**
   * The other keys of the author's `metadata`: middleware configuration, `$` annotations, the core's keys,
   * free data.
   */
  metadata: JsonObject
  /** The top-level fields that the open specification does not have, as they were written. */
  extra: JsonObject
}

export const ROLES: readonly Role[] = ['main', 'middleware', 'context']

/** The fields of the open specification. Every other top-level field is kept under `extra`. */
export const TOP_LEVEL_FIELDS: readonly string[] = [
  'name',
  'description',
  'license',
  'compatibility',
  'allowed-tools',
  'metadata',
]

/** The fields of other hosts that have an effect here, too. */
export const HONOURED_FIELDS: readonly string[] = ['disable-model-invocation', 'triggers']

/** The keys of `metadata` that become fields of their own. */
export const LIFTED_KEYS: readonly string[] = ['role', 'params', 'returns', 'visibility', 'tags']

/** Facts about the file's format and location, which the frontmatter itself does not contain. */
export interface FrontmatterContext {
  kind: ToolKind
  /** The name, chosen by the name rule from the author's and the folder's. */
  name: string
  title?: string | undefined
  /**
   * The description as text, also where YAML reads it as another type. Absent if it is blank, and for code.
   */
  description?: string | undefined
}

/**
 * Interprets an author's frontmatter. Never fails: a field of the wrong type counts as absent (the compiler
 * reports
 * it), and an unknown field is kept.
 *
 * @param context the file's; without it, the frontmatter is read as a code skill's
 */
export function extractFrontmatter(
  verbatim: JsonObject,
  context: Partial<FrontmatterContext> = {},
): ToolFrontmatter {
  const metadata = isJsonObject(verbatim.metadata) ? verbatim.metadata : {}
  const role =
    ROLES.find(known => known === metadata.role) ?? (context.kind === 'folder' ? 'context' : undefined)
  // An author who wrote another word wants something hidden, too.
  const hidden = typeof metadata.visibility === 'string' || isTrue(verbatim['disable-model-invocation'])
  // The keys are sorted as in an index, so writing a line need not sort them.
  return definedFields({
    'allowed-tools': joinAllowedTools(verbatim['allowed-tools']),
    compatibility: text(verbatim.compatibility),
    description: context.description ?? text(verbatim.description),
    extra: without(verbatim, TOP_LEVEL_FIELDS),
    inPrompt: context.kind === 'folder' && metadata.role === 'context' ? true : undefined,
    license: text(verbatim.license),
    metadata: without(metadata, LIFTED_KEYS),
    name: context.name ?? text(verbatim.name) ?? '',
    params: isJsonObject(metadata.params) ? metadata.params : undefined,
    returns: isJsonObject(metadata.returns) ? metadata.returns : undefined,
    role,
    tags: readTags(metadata.tags),
    title: context.title,
    visibility: hidden ? 'hidden' : undefined,
  }) as ToolFrontmatter
}

/**
 * Reads tags from an array or a string, and normalizes them. Only the loader may add `meta-internal`, so it
 * is dropped here.
 */
function readTags(value: JsonValue | undefined): string[] {
  const written = typeof value === 'string' ? value.split(/[\s,]+/) : Array.isArray(value) ? value : []
  return normalizeTags(written.filter(tag => typeof tag === 'string')).filter(tag => tag !== INTERNAL_TAG)
}

/** True also for `true` in quotes: a skill that its author hides must stay hidden. */
function isTrue(value: JsonValue | undefined): boolean {
  return value === true || value === 'true'
}

function joinAllowedTools(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.filter(item => typeof item === 'string').join(' ')
  return undefined
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/**
 * Returns a copy without some keys. Keys that could reach a prototype never get here: the reader refuses
 * them.
 */
function without(object: JsonObject, keys: readonly string[]): JsonObject {
  const others = Object.keys(object).filter(key => !keys.includes(key))
  return Object.fromEntries(others.map(key => [key, object[key] as JsonValue]))
}
