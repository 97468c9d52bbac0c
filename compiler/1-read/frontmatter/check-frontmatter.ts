import { isJsonObject, isStringArray, type JsonObject, type JsonValue } from '../../../src/base/json.js'
import { editDistance, nearest } from '../../../src/base/nearest.js'
import { agentFault } from '../../../src/own/agent-settings.js'
import { declarationFaults, declaredBy } from '../../../src/own/declared.js'
import { isInRange } from '../../../src/own/version-range.js'
import { checkSchema } from '../../../src/schema/check-schema.js'
import { phrasesIn } from '../../../src/search/searched-texts.js'
import { HONOURED_FIELDS, ROLES, TOP_LEVEL_FIELDS, type ToolKind } from '../../../src/skill/frontmatter.js'
import { CORE_METADATA_KEYS } from '../../../src/skill/metadata-keys.js'
import { normalizeTags, SPEC_NAME_MAX } from '../../../src/skill/names.js'
import { roleMeant } from '../../../src/skill/role-meant.js'
import { checkPatterns } from '../../diagnostics/check-patterns.js'
import { checkSchemas } from '../../diagnostics/check-schemas.js'
import { type Finding, finding, type Place } from '../../diagnostics/diagnostics.js'
import type { Locator } from '../../diagnostics/source-text.js'
import { limits } from '../../files/limits.js'
import { memoize } from '../../files/memoize.js'
import { VERSION } from '../../files/package-place.js'

/** True for frontmatter with a delegate. Few skills have one, and only for these is its place looked for. */
export function hasDelegate({ metadata }: JsonObject): boolean {
  return isJsonObject(metadata) && metadata.delegate !== undefined
}

const MIDDLEWARE_TAGS = ['meta-metadata', 'meta-middleware']
const DIRECTIVE_TAGS = ['meta-directive-inline', 'meta-directive-block']
const SWITCHES = ['enabled', 'interpolate', 'static']
const SWITCH_WORDS = new Map([
  ...['true', 'yes', 'on'].map(word => [word, 'true'] as const),
  ...['false', 'no', 'off'].map(word => [word, 'false'] as const),
])
const DESCRIPTION_MAX = 1024
const COMPATIBILITY_MAX = 500

/** A skill's format, and its name and description as they were read. */
interface Described {
  kind: ToolKind
  name: string
  description?: string | undefined
}

/**
 * The checks of frontmatter. A check runs if the skill has its field; a check with null runs on every skill.
 * This saves work, since most skills have only a name and a description.
 */
const CHECKS: readonly (readonly [
  field: string | null,
  check: (verbatim: JsonObject, at: Locator, described: Described) => Finding[],
])[] = [
  [null, checkName],
  [null, checkDescription],
  ['license', checkLicense],
  ['compatibility', checkCompatibility],
  ['allowed-tools', checkAllowedTools],
  ['allowed-tools', (verbatim, at) => checkPatterns(verbatim['allowed-tools'], at)],
  ['triggers', ({ triggers }, at) => checkTriggers(triggers, () => at.value('triggers'))],
  ['metadata', checkMetadata],
  [null, checkFields],
]

/**
 * Checks the fields of a skill's frontmatter. The readers of Markdown and code check the characters of its
 * name.
 */
export function checkFrontmatter(verbatim: JsonObject, described: Described, at: Locator): Finding[] {
  const findings: Finding[] = []
  for (const [field, check] of CHECKS)
    if (field === null || verbatim[field] !== undefined) findings.push(...check(verbatim, at, described))
  return findings
}

function checkName(_verbatim: JsonObject, at: Locator, { name }: Described): Finding[] {
  return name.length > SPEC_NAME_MAX ? [finding('name-long', at.value('name'), String(name.length))] : []
}

function checkDescription(
  { description: written }: JsonObject,
  at: Locator,
  { kind, description }: Described,
): Finding[] {
  if (typeof written === 'object' && written !== null)
    return [wrongType(at, written, 'a string', 'description'), missing()]
  if (description === undefined || description.trim() === '') return [missing()]
  const length = characters(description)
  return length > DESCRIPTION_MAX
    ? [finding('description-length', at.value('description'), String(length))]
    : []

  function missing(): Finding {
    return finding('description-missing', at.key('description'), kind)
  }
}

function checkLicense({ license }: JsonObject, at: Locator): Finding[] {
  return typeof license === 'string' ? [] : [wrongType(at, license ?? null, 'a string', 'license')]
}

function checkCompatibility({ compatibility }: JsonObject, at: Locator): Finding[] {
  if (typeof compatibility !== 'string')
    return [wrongType(at, compatibility ?? null, 'a string', 'compatibility')]
  const length = characters(compatibility)
  return length < 1 || length > COMPATIBILITY_MAX
    ? [finding('compatibility-length', at.value('compatibility'), String(length))]
    : []
}

function checkAllowedTools(verbatim: JsonObject, at: Locator): Finding[] {
  const field = 'allowed-tools'
  const value = verbatim[field] ?? null
  if (value === null || typeof value === 'string') return []
  if (!Array.isArray(value)) return [wrongType(at, value, 'a string or a list of strings', field)]
  return first([...value.entries()].filter(([, item]) => typeof item !== 'string')).map(([index, item]) =>
    wrongType(at, item, 'a string', field, index),
  )
}

function checkMetadata(verbatim: JsonObject, at: Locator): Finding[] {
  const { metadata } = verbatim
  if (metadata === undefined || metadata === null) return []
  if (!isJsonObject(metadata)) return [wrongType(at, metadata, 'a mapping', 'metadata')]
  // Most have no key of ours but tags.
  const ours = Object.keys(metadata).some(key => key !== 'tags' && CORE_METADATA_KEYS.includes(key))
  return [
    ...(ours ? checkCoreKeys(metadata, at) : []),
    ...checkTags(metadata, at),
    ...checkTriggers(metadata.triggers, () => at.value('metadata', 'triggers')),
    ...(ours ? [...checkSwitches(metadata, at), ...checkDeclarations(metadata, at)] : []),
    ...checkMetadataKeys(metadata, at),
  ]
}

/** Checks the keys that define a skill: its role, visibility and schemas. */
function checkCoreKeys(metadata: JsonObject, at: Locator): Finding[] {
  const findings: Finding[] = []
  const { role, visibility } = metadata
  if (role !== undefined && !ROLES.some(known => known === role)) {
    const meant = roleMeant(role)
    const place = at.value('metadata', 'role')
    findings.push(
      typeof role === 'string'
        ? finding('role-unknown', place, role, ...(meant ? [meant] : []))
        : wrongType(at, role, 'a string', 'metadata', 'role'),
    )
    if (meant === 'main') findings.push(finding('main-broken', place))
  }
  if (visibility !== undefined && visibility !== 'hidden') {
    findings.push(
      typeof visibility === 'string'
        ? finding('visibility-unknown', at.value('metadata', 'visibility'), visibility)
        : wrongType(at, visibility, 'a string', 'metadata', 'visibility'),
    )
  }
  for (const schema of ['params', 'returns']) {
    const value = metadata[schema]
    if (value !== undefined && !isJsonObject(value))
      findings.push(wrongType(at, value, 'a JSON Schema', 'metadata', schema))
  }
  findings.push(
    ...checkSchemas(metadata, (part, ...inside) =>
      inside.length === 0 ? at.key('metadata', part) : at.value('metadata', part, ...inside),
    ),
  )
  return findings
}

/**
 * Finds the switches `enabled`, `interpolate` and `static` whose value is a string with a word for true or
 * false. Other keys may have such strings: the specification allows strings only.
 */
function checkSwitches(metadata: JsonObject, at: Locator): Finding[] {
  return SWITCHES.flatMap(key => {
    const written = metadata[key]
    if (typeof written !== 'string') return []
    const meant = SWITCH_WORDS.get(written.trim().toLowerCase())
    // These strings already work as intended.
    if (meant === undefined || (key === 'enabled' && (meant === 'true' || written === 'false'))) return []
    return [finding('switch-is-text', at.value('metadata', key), key, written, meant)]
  })
}

/** The normalised tags, each with its path inside `tags`. */
function normalTags(tags: JsonValue | undefined): { tag: string; inside: number[] }[] {
  if (typeof tags === 'string') return normalizeTags(tags.split(/[\s,]+/)).map(tag => ({ tag, inside: [] }))
  if (!Array.isArray(tags)) return []
  return tags.flatMap((written, index) =>
    typeof written === 'string' ? normalizeTags([written]).map(tag => ({ tag, inside: [index] })) : [],
  )
}

function checkTags({ tags, role }: JsonObject, at: Locator): Finding[] {
  const areTexts = tags === undefined || typeof tags === 'string' || isStringArray(tags)
  const findings = areTexts ? [] : [wrongType(at, tags, 'a list of strings', 'metadata', 'tags')]
  // Any other tag belongs to the author.
  const normal = normalTags(tags).filter(({ tag }) => tag.startsWith('meta-'))
  if (normal.length === 0) return findings
  const idle = role === 'middleware' ? [] : normal.filter(({ tag }) => MIDDLEWARE_TAGS.includes(tag))
  const reserved = normal.filter(one => !one.tag.startsWith('meta-directive-') && !idle.includes(one))
  // Other tags with this prefix may belong to the author.
  const near = normal.flatMap(({ tag, inside }) => {
    if (DIRECTIVE_TAGS.includes(tag)) return []
    const known = DIRECTIVE_TAGS.find(candidate => editDistance(tag, candidate, 2) <= 2)
    return known === undefined ? [] : [{ tag, inside, known }]
  })
  const place = (inside: number[]): Place => at.value('metadata', 'tags', ...inside)
  return [
    ...findings,
    ...first(idle).map(({ tag, inside }) => finding('tag-idle', place(inside), tag)),
    ...first(reserved).map(({ tag, inside }) => finding('tag-reserved', place(inside), tag)),
    ...first(near).map(({ tag, inside, known }) => finding('tag-near', place(inside), tag, known)),
  ]
}

function checkTriggers(triggers: JsonValue | undefined, place: () => Place): Finding[] {
  return triggers === undefined || phrasesIn(triggers)
    ? []
    : [finding('declaration-invalid', place(), 'triggers', 'must be an array of strings')]
}

/** The first findings of a rule, as many as are reported for one file. */
function first<Item>(items: Item[]): Item[] {
  return items.slice(0, limits.findingsPerRule)
}

/**
 * Finds keys that are one edit from one of ours, or the same words written otherwise. `metadata` is
 * free-form, so no
 * others are reported.
 */
function checkMetadataKeys(metadata: JsonObject, at: Locator): Finding[] {
  const near = Object.keys(metadata).flatMap(key => {
    // Many short words are near each other, so that a short key is reported only if its value is a role.
    const isRole = key.length > 2 && ROLES.some(role => role === metadata[key])
    if ((key.length < 5 && !isRole) || key.startsWith('$') || CORE_METADATA_KEYS.includes(key)) return []
    const known = nearCoreKey(key)
    return known === null ? [] : [{ key, known }]
  })
  return first(near).map(({ key, known }) => {
    const isSpelling = lettersOf(key) === lettersOf(known)
    const how = HYPHENATED_FIELDS.includes(known) ? ['field'] : isSpelling ? ['spelling'] : []
    return finding('metadata-near-key', at.key('metadata', key), key, known, ...how)
  })
}

const KNOWN_FIELDS = [...TOP_LEVEL_FIELDS, ...HONOURED_FIELDS]

/** Skill files repeat the same few keys, so the nearest key to each is looked up once. */
const WORDS_KEPT = 1_000

const nearCoreKey = memoize(
  key =>
    CORE_METADATA_KEYS.find(known => lettersOf(known) === lettersOf(key)) ??
    CORE_METADATA_KEYS.find(candidate => editDistance(key, candidate, 1) === 1) ??
    HYPHENATED_FIELDS.find(field => lettersOf(field) === lettersOf(key)) ??
    null,
  WORDS_KEPT,
)

/** The top-level fields with a hyphen. A key of `metadata` with the same letters was meant as that field. */
const HYPHENATED_FIELDS = KNOWN_FIELDS.filter(field => field.includes('-'))

/** The letters of a key without its case style: `allowedTools`, `allowed_tools`. */
function lettersOf(key: string): string {
  return key.toLowerCase().replace(/[-_\s]/g, '')
}

function checkFields(verbatim: JsonObject, at: Locator): Finding[] {
  return first(Object.keys(verbatim).filter(field => !KNOWN_FIELDS.includes(field))).map(field => {
    const near = nearestField(field)
    if (near !== '') return finding('field-near', at.key(field), field, near)
    if (isMisplaced(field)) return finding('field-misplaced', at.key(field), field)
    const place = CORE_METADATA_KEYS.includes(field) ? 'metadata' : ''
    return finding('unknown-field', at.key(field), field, place)
  })
}

/**
 * Keys that belong under `metadata` and are no field of another host: some of ours, and some middleware of
 * the library. At the top level they are `field-misplaced`.
 */
const ONLY_METADATA: readonly string[] = [
  ...['approval-key', 'delegate', 'gated', 'interpolate', 'params', 'requires-tools', 'returns'],
  ...['role', 'static', 'visibility'],
  ...['limit', 'retry', 'timeout', 'trace'],
]

function isMisplaced(field: string): boolean {
  return field.startsWith('$') || ONLY_METADATA.includes(field)
}

const nearestField = memoize(field => {
  const hyphenated = field.replaceAll('_', '-')
  const lowerCase = hyphenated.toLowerCase()
  return TOP_LEVEL_FIELDS.includes(lowerCase) ? lowerCase : (nearest(hyphenated, TOP_LEVEL_FIELDS) ?? '')
}, WORDS_KEPT)

/** The finding that a value has another type than the expected one. */
export function wrongType(
  at: Locator,
  value: JsonValue,
  expected: string,
  field: string,
  ...inside: (string | number)[]
): Finding {
  const path = pathText([field, ...inside])
  return finding('field-type', at.value(field, ...inside), path, expected, typeName(value))
}

/** A path as messages show it: `metadata.tags[0]`. */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('')
}

/** A value's type, as the end of "must be …, not …". */
export function typeName(value: JsonValue): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return { boolean: 'true or false', number: 'a number', string: 'a string', object: 'a mapping' }[
    typeof value as 'boolean' | 'number' | 'string' | 'object'
  ]
}

/** Characters as the specification counts them: code points. */
function characters(text: string): number {
  return text.length > COMPATIBILITY_MAX ? [...text].length : text.length
}

/** `role: main` in YAML or in code. */
const ROLE_MAIN = /(?:^|[\s{,])["']?role["']?[ \t]*:[ \t]*["']?main\b/m

/** True for a broken skill that seems to be a main skill, on which other skills depend. */
export function seemsMain(text: string): boolean {
  return ROLE_MAIN.test(text)
}

/** Checks the declarations of a tool: a malformed one has no effect. */
function checkDeclarations(metadata: JsonObject, at: Locator): Finding[] {
  // Other hosts have a `requires` of their own, such as `{ bins: [git] }`.
  const faults = declarationFaults(metadata).filter(({ key }) => key !== 'requires')
  const findings = faults.map(({ key, expected }) =>
    finding('declaration-invalid', at.value('metadata', key), key, `must be ${expected}`),
  )
  return [
    ...findings,
    ...checkAgent(metadata, at),
    ...checkDeclaredSchemas(metadata, at),
    ...checkRequires(metadata, at),
  ]
}

function checkAgent({ agent }: JsonObject, at: Locator): Finding[] {
  const fault = agentFault(agent)
  return fault === null ? [] : [finding('agent-invalid', at.value('metadata', 'agent'), fault)]
}

function checkDeclaredSchemas(metadata: JsonObject, at: Locator): Finding[] {
  const { config, state } = declaredBy(metadata)
  const schemas = { config, 'state-slot': state?.schema }
  return Object.entries(schemas).flatMap(([key, schema]) => {
    if (!isJsonObject(schema)) return []
    const checked = checkSchema(schema)
    if (!('problem' in checked)) return []
    const inside = key === 'config' ? checked.problem.path : ['schema', ...checked.problem.path]
    return [finding('schema-invalid', at.value('metadata', key, ...inside), key, checked.problem.reason)]
  })
}

/** Strings with only the characters of version ranges; any other `requires` is another host's. */
const RANGE_LIKE = /^[\s\d.xX*<>=~^|-]+$/

function checkRequires({ requires }: JsonObject, at: Locator): Finding[] {
  if (typeof requires !== 'string' || !RANGE_LIKE.test(requires)) return []
  const place = at.value('metadata', 'requires')
  const isMet = isInRange(VERSION, requires)
  if (isMet === null)
    return [finding('declaration-invalid', place, 'requires', 'is not a range of versions: write `>=0.1.0`')]
  return isMet ? [] : [finding('requires-unmet', place, requires, VERSION)]
}
