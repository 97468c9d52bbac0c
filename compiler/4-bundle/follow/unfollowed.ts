import type { Node } from 'acorn'
import { SOURCE_NAME } from '../../esbuild/source-place.js'

/** What code does that a bundle cannot follow: it asks for its own place, or imports what is not known or not there. */
export type Unfollowed = OwnPlace | 'import' | 'agent-apps'

/** What a file asks of its own place. */
export type OwnPlace = 'url' | 'dirname' | 'filename'

/** A node with whatever its type has. */
export type AnyNode = Node & Record<string, unknown>

/** How esbuild names `require` where it leaves a call to the host. */
const REQUIRE = /^__require\d*$/
const OWN_FIELDS = new Map<string, OwnPlace>([
  ['url', 'url'],
  ['resolve', 'url'],
  ['dirname', 'dirname'],
  ['filename', 'filename'],
])

/** True for code that has to be looked at: most has nothing of the kind. */
export function mayBeUnfollowed(code: string): boolean {
  return /__agentAppsSource|import\.meta|\bimport\((?!"[^"\\\n]*"\))|\b__require\d*(?:\.resolve)?\((?!"[^."\\\n][^"\\\n]*"\))|["']agent-apps\//.test(
    code,
  )
}

/** What a node of compiled code does that a bundle cannot follow; null for nothing, and for what only its parts do. */
export function unfollowed(node: AnyNode): Unfollowed | null {
  const source = importedBy(node)
  if (source === null) return ownPlace(node)
  if (isAbsent(source)) return 'agent-apps'
  if (node.type === 'ImportExpression') return isAddress(source) ? null : 'import'
  return node.type === 'CallExpression' && !isElsewhere(source) ? 'import' : null
}

/** What a node that asks for its file's own place asks for; null for any other. */
export function ownPlace(node: AnyNode): OwnPlace | null {
  if (node.type === 'Identifier') {
    const name = SOURCE_NAME.exec(String(node.name))?.[1]
    return name === undefined ? null : (name.toLowerCase() as OwnPlace)
  }
  if (isMeta(node)) return 'url'
  return isMetaField(node) ? (OWN_FIELDS.get(fieldOf(node)) ?? null) : null
}

/** True for `import.meta.…`, of which a part may not be taken for all of it. */
export function isMetaField({ type, object }: AnyNode): boolean {
  return type === 'MemberExpression' && isMeta(object as AnyNode)
}

function isMeta({ type, meta }: AnyNode): boolean {
  return type === 'MetaProperty' && (meta as AnyNode).name === 'import'
}

function fieldOf({ property }: AnyNode): string {
  const { name, value } = property as AnyNode
  return String(name ?? value)
}

/** What a node imports: by `import`, `export … from`, `import()`, `require()`, `require.resolve()`; null for one that does not. */
function importedBy({ type, source, callee, arguments: given }: AnyNode): AnyNode | null {
  if (type !== 'CallExpression') return (source ?? null) as AnyNode | null
  const called = callee as AnyNode
  const isResolve = called.type === 'MemberExpression' && fieldOf(called) === 'resolve'
  const { name } = isResolve ? (called.object as AnyNode) : called
  const [first] = given as AnyNode[]
  return REQUIRE.test(String(name)) && first ? first : null
}

/** True for an entry of agent-apps that a bundle does not have. */
function isAbsent({ value }: AnyNode): boolean {
  return typeof value === 'string' && value.startsWith('agent-apps/') && value !== 'agent-apps/runtime'
}

/** True for what is no path, and so means the same wherever it is asked for: a package, a module of the host. */
function isElsewhere({ value }: AnyNode): boolean {
  return typeof value === 'string' && !value.startsWith('.')
}

/** True for what is imported by a literal, which the compiler saw, and for what is a whole URL whatever else it holds. */
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

/** True for `new URL(…)` and `pathToFileURL(…)`. */
function isUrl({ type, callee }: AnyNode): boolean {
  const { name, property } = (callee ?? {}) as AnyNode
  const called = String(name ?? (property as AnyNode | undefined)?.name)
  return type === 'NewExpression' ? called === 'URL' : /^pathToFileURL\d*$/.test(called)
}

function beginsAsUrl(text: unknown): boolean {
  return typeof text === 'string' && /^[a-z][a-z\d+.-]+:/i.test(text)
}
