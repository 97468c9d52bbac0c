import { SourceMap, type SourceMapping } from 'node:module'
import { type Node, parse } from 'acorn'
import { REQUIRE_BANNER } from '../../esbuild/module-source.js'
import { knownPlaces, relativeUrl, SOURCE_NAME } from '../../esbuild/source-place.js'

/** Code that a bundle cannot follow: it asks for its own place, or imports an unknown or missing module. */
export type Unfollowed = LocationKind | 'import' | 'agent-apps'

/** The form in which a file asks for its own place. */
export type LocationKind = 'url' | 'dirname' | 'filename'

/** A node with the fields of its type. */
type AnyNode = Node & Record<string, unknown>

/** A place in compiled code that no bundle can follow. */
export interface UnfollowedCode extends SourcePosition {
  what: Unfollowed
}

interface SourcePosition {
  /** The source, relative to the folder of the module. */
  source: string
  line: number
  column: number
}

/**
 * Makes `new URL('./x', import.meta.url)` in compiled code point to a file of the bundle. Other uses of its
 * location, which a bundle cannot follow, are returned; at run time they see the bundle's own module.
 *
 * @param bring the URL by which the bundle has a file, for its URL relative to the module; null where it
 *   cannot have it
 */
export function followUrls(
  text: string,
  map: string | null,
  bring: (source: string, url: string) => string | null,
): { text: string; unfollowed: UnfollowedCode[] } {
  if (!mayBeUnfollowed(text.replace(REQUIRE_BANNER, ''))) return { text, unfollowed: [] }
  const { code, urls, shifts } = knownPlaces(text.replace(REQUIRE_BANNER, ' '.repeat(REQUIRE_BANNER.length)))
  const edits: Edit[] = []
  const faults: Found[] = []
  const guards: Found[] = []
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true })
  visit(program, node => {
    const literal = literalUrl(node, urls)
    const guarded = guardedPlace(node)
    if (literal) {
      const brought = bring(literal.source, literal.url)
      // Adapters search for this text (`adapters/virtual-module.ts`).
      if (brought) edits.push({ node, by: `new URL(${JSON.stringify(brought)}, import.meta.url)` })
      else faults.push({ node, what: 'url', asking: literal.base })
    } else if (guarded) guards.push(guarded)
    else {
      const what = unfollowed(node)
      if (what) faults.push({ node, what, asking: node })
      return !isMetaField(node)
    }
    return false
  })
  const lines = map !== null && faults.length + guards.length > 0 ? new SourceMap(JSON.parse(map)) : null
  const located = (found: Found): Found & UnfollowedCode => ({
    ...found,
    ...unshifted(placeOf(found.node, lines), shifts),
  })
  const asked = faults.map(located)
  const guarding = guards.map(located)
  const safe = new Set(guarding.map(asWritten))
  const isSafe = (found: UnfollowedCode): boolean => safe.has(asWritten(found))
  for (const found of [...guarding, ...asked]) {
    const { asking, what } = found
    if (asking.type === 'Identifier')
      edits.push({ node: asking, by: isSafe(found) ? `__${what}` : `import.meta.${what}` })
  }
  const start = text.indexOf(REQUIRE_BANNER)
  const withBanner =
    start === -1 ? code : code.slice(0, start) + REQUIRE_BANNER + code.slice(start + REQUIRE_BANNER.length)
  return {
    text: edited(withBanner, edits),
    unfollowed: asked
      .filter(fault => !isSafe(fault))
      .map(({ what, source, line, column }) => ({ what, source, line, column })),
  }
}

/** An expression that is not followed, with the node in it that may ask for a place. */
interface Found {
  node: Node
  what: Unfollowed
  asking: AnyNode
}

/** The expression's source, for comparison. */
function asWritten({ what, source }: UnfollowedCode): string {
  return `${what} ${source}`
}

/**
 * The place in `typeof __dirname`. Code that checks this works without one, and a bundle has none.
 */
function guardedPlace({ type, operator, argument }: AnyNode): Found | null {
  if (type !== 'UnaryExpression' || operator !== 'typeof') return null
  const asking = argument as AnyNode
  const what = asking.type === 'Identifier' ? ownPlace(asking) : null
  return what === 'dirname' || what === 'filename' ? { node: asking, what, asking } : null
}

interface Edit {
  node: Node
  by: string
}

function literalUrl(
  node: AnyNode,
  sources: ReadonlyMap<string, string>,
): { source: string; url: string; base: AnyNode } | null {
  const { type, callee, arguments: given } = node as AnyNode & { callee?: AnyNode; arguments?: AnyNode[] }
  if (type !== 'NewExpression' || callee?.name !== 'URL' || given?.length !== 2) return null
  const [url, base] = given as [AnyNode, AnyNode]
  const source = sources.get(String(base.name))
  return source !== undefined && url.type === 'Literal' && typeof url.value === 'string'
    ? { source, url: url.value, base }
    : null
}

/** Visits a node and its descendants, parents first; `look` returns false to skip a node's children. Code may nest deeper than the stack. */
function visit(program: Node, look: (node: AnyNode) => boolean): void {
  const open: unknown[] = [program]
  while (open.length > 0) {
    const one = open.pop()
    if (Array.isArray(one)) for (const item of one) open.push(item)
    else if (isNode(one) && look(one)) open.push(...Object.values(one))
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value
}

function edited(text: string, edits: Edit[]): string {
  return edits
    .sort((a, b) => b.node.start - a.node.start)
    .reduce((whole, { node, by }) => whole.slice(0, node.start) + by + whole.slice(node.end), text)
}

/** The place as the author wrote it: definitions were put before the first line. */
function unshifted(place: SourcePosition, shifts: ReadonlyMap<string, number>): SourcePosition {
  const shift = place.line === 1 ? (shifts.get(relativeUrl(place.source)) ?? 0) : 0
  return { ...place, column: place.column - shift }
}

/** The place of a module's node in its source. */
function placeOf({ loc }: Node, map: SourceMap | null): SourcePosition {
  const { line = 1, column = 0 } = loc?.start ?? {}
  const found: Partial<SourceMapping> = map?.findEntry(line - 1, column) ?? {}
  return isMapping(found)
    ? { source: found.originalSource, line: found.originalLine + 1, column: found.originalColumn + 1 }
    : { source: '', line, column: column + 1 }
}

function isMapping(found: Partial<SourceMapping>): found is SourceMapping {
  return found.originalSource !== undefined
}

/** How esbuild names `require` where it leaves a call to the host. */
const REQUIRE = /^__require\d*$/
const OWN_FIELDS = new Map<string, LocationKind>([
  ['url', 'url'],
  ['resolve', 'url'],
  ['dirname', 'dirname'],
  ['filename', 'filename'],
])

/** True for code that has to be looked at: most has nothing of the kind. */
function mayBeUnfollowed(code: string): boolean {
  return /__agentAppsSource|import\.meta|\bimport\((?!"[^"\\\n]*"\))|\b__require\d*(?:\.resolve)?\((?!"[^."\\\n][^"\\\n]*"\))|["']agent-apps\//.test(
    code,
  )
}

/** The reason why a bundle cannot follow a node of compiled code; null if it can, or if only its parts have one. */
function unfollowed(node: AnyNode): Unfollowed | null {
  const source = importedBy(node)
  if (source === null) return ownPlace(node)
  if (isAbsent(source)) return 'agent-apps'
  if (node.type === 'ImportExpression') return isAddress(source) ? null : 'import'
  return node.type === 'CallExpression' && !isElsewhere(source) ? 'import' : null
}

/** The form in which a node asks for its file's own place; null for any other. */
function ownPlace(node: AnyNode): LocationKind | null {
  if (node.type === 'Identifier') {
    const name = SOURCE_NAME.exec(String(node.name))?.[1]
    return name === undefined ? null : (name.toLowerCase() as LocationKind)
  }
  if (isMeta(node)) return 'url'
  return isMetaField(node) ? (OWN_FIELDS.get(fieldOf(node)) ?? null) : null
}

/** True for `import.meta.…`, of which a part may not be taken for all of it. */
function isMetaField({ type, object }: AnyNode): boolean {
  return type === 'MemberExpression' && isMeta(object as AnyNode)
}

function isMeta({ type, meta }: AnyNode): boolean {
  return type === 'MetaProperty' && (meta as AnyNode).name === 'import'
}

function fieldOf({ property }: AnyNode): string {
  const { name, value } = property as AnyNode
  return String(name ?? value)
}

/** The argument of a node that imports: `import`, `export … from`, `import()`, `require()`, `require.resolve()`; null for any other. */
function importedBy({ type, source, callee, arguments: given }: AnyNode): AnyNode | null {
  if (type !== 'CallExpression') return (source ?? null) as AnyNode | null
  const called = callee as AnyNode
  const isResolve = called.type === 'MemberExpression' && fieldOf(called) === 'resolve'
  const { name } = isResolve ? (called.object as AnyNode) : called
  const [first] = given as AnyNode[]
  return REQUIRE.test(String(name)) && first ? first : null
}

const BUNDLED_ENTRIES = new Set(['agent-apps/runtime', 'agent-apps/workspace'])

/** True for an entry of agent-apps that a bundle does not have. */
function isAbsent({ value }: AnyNode): boolean {
  return typeof value === 'string' && value.startsWith('agent-apps/') && !BUNDLED_ENTRIES.has(value)
}

/** True for a package or a module of the host, which means the same from every file. */
function isElsewhere({ value }: AnyNode): boolean {
  return typeof value === 'string' && !value.startsWith('.')
}

/** True for an import by a literal, which the compiler saw, and for an absolute URL. */
function isAddress(node: AnyNode): boolean {
  const { type, value, quasis, left, object, callee } = node
  switch (type) {
    case 'Literal':
      return typeof value === 'string'
    case 'TemplateLiteral':
      return beginsAsUrl((quasis as { value: { raw: string } }[])[0]?.value.raw)
    case 'BinaryExpression':
      return beginsAsUrl((left as AnyNode).value) || isUrl(left as AnyNode)
    case 'MemberExpression':
      return isUrl(object as AnyNode)
    case 'CallExpression':
      return isUrl(node) || isUrl(((callee as AnyNode).object ?? {}) as AnyNode)
    default:
      return isUrl(node)
  }
}

function isUrl({ type, callee }: AnyNode): boolean {
  const { name, property } = (callee ?? {}) as AnyNode
  const called = String(name ?? (property as AnyNode | undefined)?.name)
  return type === 'NewExpression' ? called === 'URL' : /^pathToFileURL\d*$/.test(called)
}

function beginsAsUrl(text: unknown): boolean {
  return typeof text === 'string' && /^[a-z][a-z\d+.-]+:/i.test(text)
}
