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
