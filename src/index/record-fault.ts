import { isJsonObject, isTexts } from '../base/json.js'
import { ROLES, type ToolFrontmatter } from '../skill/frontmatter.js'
import { HOOK_TRIGGERS } from '../skill/hooks.js'
import { isToolName } from '../skill/names.js'
import { CALLS_MAX, isBroken, type NameRecord, type Section } from './index-format.js'
import { isInside } from './inside-path.js'

/**
 * Why something is no record that a compiler of ours wrote, or reaches outside of its directory; null where it is one. An index comes with
 * other people's packages: nothing in it is believed that was not looked at.
 */
export function recordFault(section: Section, key: string, record: unknown): string | null {
  return isJsonObject(record) ? FAULTS[section](key, record) : notOurs(key)
}

/** True for the header of an index as a compiler of ours writes it, whatever its version. */
export function isHeader({
  hash,
  listing,
  ignore,
  cascadeInput,
  cascadeKey,
  shards,
}: Record<string, unknown>): boolean {
  return (
    isTexts([hash, listing, cascadeInput, cascadeKey]) &&
    isTexts(ignore) &&
    (shards === undefined || (Array.isArray(shards) && shards.length > 0))
  )
}

const FAULTS: Record<Section, (key: string, record: Record<string, unknown>) => string | null> = {
  tools(name, record) {
    if (!isInside(record.file)) return `${JSON.stringify(name)} names a file outside the directory`
    return isToolName(name) && isWellFormed(name, record as unknown as NameRecord) ? null : notOurs(name)
  },
  details(name, { resources, verbatim }) {
    if (!Array.isArray(resources) || !isJsonObject(verbatim)) return notOurs(name)
    if (!resources.every(resource => isJsonObject(resource) && isInside(resource.path)))
      return `${JSON.stringify(name)} names a file outside the directory`
    return resources.every(({ size }) => Number.isInteger(size)) ? null : notOurs(name)
  },
  files(path, record) {
    if (!isInside(path)) return `${JSON.stringify(path)} lies outside the directory`
    return isFileRecord(record) ? null : notOurs(path)
  },
  cascades: (name, record) => (isCascade(record) ? null : notOurs(name)),
  // Whoever renders it looks at it.
  contents: () => null,
}

function notOurs(key: string): string {
  return `the record of ${JSON.stringify(key)} is not one of ours`
}

function isCascade(record: Record<string, unknown>): boolean {
  const { chain, body, deps = [], metadata = {}, open, peers = [], problem, sources = [] } = record
  return (
    Array.isArray(chain) &&
    chain.length <= CALLS_MAX &&
    chain.every(isChainEntry) &&
    (body === undefined || isAddress(body)) &&
    isTexts(deps) &&
    isJsonObject(metadata) &&
    isTexts(peers) &&
    (open === undefined || open === true) &&
    (problem === undefined || isProblem(problem)) &&
    Array.isArray(sources) &&
    sources.every(isAddress)
  )
}

function isChainEntry(entry: unknown): boolean {
  if (!isJsonObject(entry) || typeof entry.name !== 'string' || entry.args === undefined) return false
  const { hook = [], static: isStatic } = entry
  const isHook = Array.isArray(hook) && hook.every(one => HOOK_TRIGGERS.some(trigger => trigger === one))
  return isHook && (isStatic === undefined || isStatic === true)
}

function isProblem(value: unknown): boolean {
  return isJsonObject(value) && typeof value.message === 'string' && typeof value.hint === 'string'
}

function isAddress(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2 || typeof value[1] !== 'string') return false
  return value[0] === 'library' || (Number.isInteger(value[0]) && value[0] >= 0)
}

/**
 * Only these are ever read by an index's word, so that a poisoned one cannot have other files of the directory
 * served as content, or a single file's neighbours as its resources.
 */
const SKILL_FILES = new Map<unknown, RegExp>([
  ['folder', /(?:^|\/)skill\.md$/i],
  ['file', /[^/]\.skill\.md$/],
  ['code', /[^/]\.skill\.(?:ts|js|mts|mjs)$/],
])

function isFileOf(kind: unknown, file: string): boolean {
  return SKILL_FILES.get(kind)?.test(file) === true
}

/** Bytes of a file that holds skills. The compiler's own limit is lower. */
const SIZE_MAX = 2 ** 24

function isWellFormed(name: string, record: NameRecord): boolean {
  if (isBroken(record)) return isDiagnostic(record.broken)
  const {
    content,
    delegate,
    directives,
    dynamic,
    exported,
    file,
    fragment,
    kind,
    module,
    size,
    frontmatter,
    validators,
  } = record
  // What runs code to be found is never in an index.
  if (!isJsonObject(frontmatter) || dynamic !== undefined || !isFileOf(kind, file)) return false
  if (fragment !== undefined && typeof fragment !== 'string') return false
  const isCompiled =
    (module === undefined || isModule(module)) && (validators === undefined || isValidators(validators))
  const isDelegate = delegate === undefined || isMarkdown(delegate) || isModule(delegate)
  if (!isCompiled || !isDelegate || frontmatter.name !== name || !isFrontmatter(frontmatter)) return false
  if (kind === 'code') return typeof exported === 'string'
  if (!isTexts(directives ?? []) || !Array.isArray(content) || content.length !== 2) return false
  const [start, end] = content
  const isRange =
    [start, end, size].every(Number.isInteger) &&
    0 <= start &&
    start <= end &&
    end <= size &&
    size <= SIZE_MAX
  return isRange
}

function isMarkdown(value: unknown): boolean {
  return isJsonObject(value) && typeof value.markdown === 'string'
}

function isModule(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const { file, inputs } = value
  return isModuleFile(file) && Array.isArray(inputs) && inputs.every(isInside)
}

function isModuleFile(file: unknown): boolean {
  return typeof file === 'string' && /^\.agent-apps\/module-[0-9A-Z]{8}\.mjs$/.test(file)
}

function isValidators(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every(isModuleFile)
}

function isFrontmatter(frontmatter: Partial<ToolFrontmatter>): boolean {
  const { role, tags, metadata, extra, params, returns } = frontmatter
  const texts = ['title', 'description', 'visibility', 'allowed-tools', 'license', 'compatibility'] as const
  return (
    texts.every(key => typeof (frontmatter[key] ?? '') === 'string') &&
    (role === undefined || ROLES.includes(role)) &&
    isTexts(tags) &&
    [metadata, extra, params ?? {}, returns ?? {}].every(isJsonObject)
  )
}

function isDiagnostic(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const { file, reason, note, rule, severity, line, column } = value
  return isInside(file) && isTexts([reason, note, rule, severity]) && [line, column].every(Number.isInteger)
}

function isFileRecord({ tools, diagnostics }: Record<string, unknown>): boolean {
  return isTexts(tools) && Array.isArray(diagnostics) && diagnostics.every(isDiagnostic)
}
