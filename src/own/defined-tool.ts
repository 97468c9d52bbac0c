import { definedFields, isJsonObject, type JsonObject } from '../base/json.js'

/** Marks the result of `defineTool` of any copy of the package. */
export const DEFINED_TOOL = Symbol.for('agent-apps.defined-tool')

/** The result of `defineTool`: an object that every copy of the package recognizes as a tool. */
export interface DefinedTool<Result = unknown> {
  readonly name: string
  /** The tool as a function `(context, args)`, the form in which all tools are called. */
  readonly fn: (context: unknown, args?: unknown) => Promise<Result>
  /** Its frontmatter, with its schemas as JSON Schema. */
  readonly frontmatter: () => Promise<JsonObject>
}

/** True for the result of any copy of the package's `defineTool`. */
export function isDefinedTool(value: unknown): value is DefinedTool {
  return (
    typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[DEFINED_TOOL] === true
  )
}

/** The fields of a definition that belong to its metadata, and those with another name there, with that name. */
const METADATA_FIELDS = [
  ...['role', 'visibility', 'tags', 'params', 'returns', 'gated', 'permissions', 'trust', 'config', 'env'],
  ...['requires', 'executor'],
]
const METADATA_KEYS = {
  timeoutMs: 'timeout',
  state: 'state-slot',
  descriptionPath: 'description-path',
  requiresTools: 'requires-tools',
  contractVersion: 'contract-version',
  deriveApprovalKey: 'approval-key',
  preview: 'approval-preview',
  init: 'lifecycle',
  activate: 'lifecycle',
  deactivate: 'lifecycle',
  dispose: 'lifecycle',
}

/**
 * Returns a definition's fields as the frontmatter of a Markdown skill has them; absent fields stay absent.
 * Functions are replaced by `true`, so that their presence is known without loading the code.
 */
export function frontmatterOf(definition: Record<string, unknown>): JsonObject {
  const { name, description, allowedTools, metadata } = definition
  const all: Record<string, unknown> = isJsonObject(metadata) ? { ...metadata } : {}
  const keys = [...METADATA_FIELDS.map(field => [field, field]), ...Object.entries(METADATA_KEYS)]
  for (const [field = '', key = ''] of keys) {
    const value = definition[field]
    if (value !== undefined) all[key] = typeof value === 'function' ? true : value
  }
  return definedFields({
    name,
    description,
    'allowed-tools': allowedTools,
    metadata: Object.keys(all).length > 0 ? all : undefined,
  }) as JsonObject
}

export function ownFieldName(field: string): string {
  return OWN_NAMES.get(field) ?? field
}

/** A definition with each field under our name. */
export function fieldsByOwnNames<Fields extends object>(definition: Fields): Fields {
  return Object.fromEntries(
    Object.entries(definition).map(([field, value]) => [ownFieldName(field), value]),
  ) as Fields
}

/** The first field that is given under two names; null without one. */
export function fieldGivenTwice(fields: readonly string[]): { first: string; field: string } | null {
  const given = new Map<string, string>()
  for (const field of fields) {
    const first = given.get(ownFieldName(field))
    if (first !== undefined && first !== field) return { first, field }
    given.set(ownFieldName(field), field)
  }
  return null
}

/** The keys whose fields in `defineTool` have other names. */
export const FIELD_OF: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ['timeout', 'timeoutMs'],
  ['state-slot', 'state'],
  ['description-path', 'descriptionPath'],
  ['requires-tools', 'requiresTools'],
  ['contract-version', 'contractVersion'],
])

/** Other libraries' names of fields, each with ours. */
const OWN_NAMES = new Map([
  ['inputSchema', 'params'],
  ['parameters', 'params'],
  ['outputSchema', 'returns'],
])
