import { SourceMap, type SourceMapping } from 'node:module'
import { type Node, parse } from 'acorn'
import { REQUIRE_BANNER } from '../require-banner.js'

/** A place in compiled code that means a file by where the code lies, and that no bundle can follow. */
export interface UnfollowedPlace {
  /** The source, relative to the folder of the module. */
  source: string
  line: number
  column: number
}

export interface FollowedCode {
  text: string
  unfollowed: UnfollowedPlace[]
}

/** The lines by which compiled code knows where its source lies, as `source-urls.ts` writes them and esbuild prints them. */
const DEFINITION =
  /^var (?:\{ url: __agentAppsModuleUrl\d* \}|__agentAppsSource(?:Filename|Url|Dirname)\d*) = .*;$/gm
const FILENAME = /^var (__agentAppsSourceFilename\d*) = \w+\(new URL\(("(?:[^"\\]|\\.)*"), /gm
const URL_OF_FILENAME = /^var (__agentAppsSourceUrl\d*) = \w+\((__agentAppsSourceFilename\d*)\)\.href;$/gm
const SOURCE_NAME = /^__agentAppsSource(?:Url|Dirname|Filename)\d*$/

/**
 * Makes `new URL('./x', import.meta.url)` of compiled code name a file that the bundle brings along. Whatever else the code
 * does with its own place is named as unfollowed.
 *
 * @param bring the URL by which the bundle has a file, for its URL relative to the module; null where it cannot have it
 */
export function followUrls(
  text: string,
  map: string | null,
  bring: (source: string, url: string) => string | null,
): FollowedCode {
  if (!/__agentAppsSource|import\.meta/.test(text.replace(REQUIRE_BANNER, '')))
    return { text, unfollowed: [] }
  const sources = sourcesByUrl(text)
  // Places stay the same.
  const blank = (line: string): string => ' '.repeat(line.length)
  const code = text.replace(REQUIRE_BANNER, blank).replace(DEFINITION, blank)
  const edits: Edit[] = []
  const faults: Node[] = []
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true }), node => {
    const literal = literalUrl(node, sources)
    const brought = literal && bring(literal.source, literal.url)
    if (brought) {
      // Adapters find it by this text (`adapters/virtual-module.ts`).
      const by = `new URL(${JSON.stringify(brought)}, import.meta.url)`
      edits.push({ start: node.start, end: node.end, by })
    } else if (literal || isOwnPlace(node)) faults.push(node)
    return literal === null
  })
  const withBanner = text.startsWith(REQUIRE_BANNER)
    ? REQUIRE_BANNER + code.slice(REQUIRE_BANNER.length)
    : code
  return { text: edited(withBanner, edits), unfollowed: faults.map(fault => placeOf(fault, map)) }
}

/** By the name that stands for `import.meta.url` of a source: the source's URL relative to the module. */
function sourcesByUrl(text: string): Map<string, string> {
  const files = new Map(
    [...text.matchAll(FILENAME)].map(([, name, url = '""']) => [name, JSON.parse(url) as string]),
  )
  return new Map(
    [...text.matchAll(URL_OF_FILENAME)].map(([, name = '', file]) => [name, files.get(file) ?? '']),
  )
}

interface Edit {
  start: number
  end: number
  by: string
}

/** A node with whatever its type has. */
type AnyNode = Node & Record<string, unknown>

function literalUrl(
  node: AnyNode,
  sources: ReadonlyMap<string, string>,
): { source: string; url: string } | null {
  const { type, callee, arguments: given } = node as AnyNode & { callee?: AnyNode; arguments?: AnyNode[] }
  if (type !== 'NewExpression' || callee?.name !== 'URL' || given?.length !== 2) return null
  const [url, base] = given as [AnyNode, AnyNode]
  const source = sources.get(String(base.name))
  return source !== undefined && url.type === 'Literal' && typeof url.value === 'string'
    ? { source, url: url.value }
    : null
}

function isOwnPlace(node: AnyNode): boolean {
  if (node.type === 'Identifier') return SOURCE_NAME.test(String(node.name))
  const { object, property } = node as AnyNode & { object?: AnyNode; property?: AnyNode }
  return (
    node.type === 'MemberExpression' &&
    object?.type === 'MetaProperty' &&
    ['url', 'resolve', 'dirname', 'filename'].includes(String(property?.name))
  )
}

/** Visits a node and all in it, parents first; what `look` says false of is not entered. */
function visit(node: unknown, look: (node: AnyNode) => boolean): void {
  if (Array.isArray(node)) for (const one of node) visit(one, look)
  else if (typeof node === 'object' && node !== null && 'type' in node) {
    if (!look(node as AnyNode)) return
    for (const inner of Object.values(node)) visit(inner, look)
  }
}

function edited(text: string, edits: Edit[]): string {
  return edits
    .sort((a, b) => b.start - a.start)
    .reduce((whole, { start, end, by }) => whole.slice(0, start) + by + whole.slice(end), text)
}

/** Where a node of a module stands in its source. */
function placeOf({ loc }: Node, map: string | null): UnfollowedPlace {
  const { line = 1, column = 0 } = loc?.start ?? {}
  const found: Partial<SourceMapping> =
    map === null ? {} : new SourceMap(JSON.parse(map)).findEntry(line - 1, column)
  return isMapping(found)
    ? { source: found.originalSource, line: found.originalLine + 1, column: found.originalColumn + 1 }
    : { source: '', line, column: column + 1 }
}

function isMapping(found: Partial<SourceMapping>): found is SourceMapping {
  return found.originalSource !== undefined
}
