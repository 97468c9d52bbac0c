import {
  findNodeAtLocation,
  type Node as JsonNode,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { Document, Node as YamlNode } from 'yaml'

/** A parsed text, and the line on which each value of it begins. */
interface Located {
  value: unknown
  /** The line of the value at a path of keys and indexes; 1 if the path leads nowhere. */
  lineAt: (path: readonly (string | number)[]) => number
  /** The lines of JSON Lines that are malformed, and not in `value`. */
  faults: Malformed[]
}

interface Point {
  line: number
  column: number
}

type PointAt = (offset: number) => Point

/** A parse error. Its message quotes none of the file, which may hold a secret. */
export class Malformed extends Error {
  constructor(
    reason: string,
    readonly point: Point,
  ) {
    super(reason)
  }
}

/**
 * Parses JSON, JSON Lines or YAML without aliases, by the ending of the file's name. JSON Lines are an array of their lines.
 *
 * @throws Malformed
 */
export async function parseLocated(file: string, text: string): Promise<Located> {
  if (file.endsWith('.json')) return parseJson(text)
  if (file.endsWith('.jsonl')) return parseJsonLines(text)
  return parseYaml(text)
}

function parseJson(text: string): Located {
  const pointAt = pointsIn(text)
  const value = jsonIn(text, pointAt)
  const nodeAt = nodesBelow<JsonNode>(parseTree(text), (node, step) => findNodeAtLocation(node, [step]))
  return { value, lineAt: path => pointAt(nodeAt(path)?.offset ?? 0).line, faults: [] }
}

function parseJsonLines(text: string): Located {
  const value: unknown[] = []
  const lines: number[] = []
  const faults: Malformed[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    try {
      value.push(jsonIn(line, offset => ({ line: index + 1, column: offset + 1 })))
      lines.push(index + 1)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      faults.push(error)
    }
  }
  return { value, lineAt: ([at]) => (typeof at === 'number' ? (lines[at] ?? 1) : 1), faults }
}

function jsonIn(text: string, pointAt: PointAt): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const errors: ParseError[] = []
    parseTree(text, errors, { disallowComments: true })
    const [{ error, offset } = { error: 0, offset: 0 }] = errors
    throw new Malformed(`its JSON is malformed${inWords(printParseErrorCode(error))}`, pointAt(offset))
  }
}

/** `CommaExpected` and `MISSING_CHAR` as the end of a message. */
function inWords(code: string): string {
  const words = code.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ')
  return code.startsWith('<') ? '' : `, ${words.toLowerCase()}`
}

/** A longer text of nothing but opening brackets would take the parser many seconds. */
const YAML_MAX = 128 * 1024

async function parseYaml(text: string): Promise<Located> {
  if (text.length > YAML_MAX) throw new Malformed('its YAML is longer than 128 KiB', { line: 1, column: 1 })
  const { isCollection, isNode, parseDocument } = await import('yaml')
  const pointAt = pointsIn(text)
  const document = parseDocument(text, {
    ...{ schema: 'core', merge: false, prettyErrors: false, logLevel: 'error' },
    // The parser compares each key with all before it. `expectPlain` looks them up.
    uniqueKeys: false,
  })
  const [fault] = document.errors
  if (fault) throw new Malformed(`its YAML is malformed${inWords(fault.code)}`, pointAt(fault.pos[0]))
  await expectPlain(document, pointAt)
  const nodeAt = nodesBelow<YamlNode>(document.contents ?? undefined, (node, step) => {
    const child = isCollection(node) ? node.get(step, true) : undefined
    return isNode(child) ? child : undefined
  })
  return {
    value: document.toJS(),
    lineAt: path => pointAt(nodeAt(path)?.range?.[0] ?? 0).line,
    faults: [],
  }
}

/** Refuses aliases, of which a few lines can make gigabytes, and repeated keys. */
async function expectPlain(document: Document, pointAt: PointAt): Promise<void> {
  const { isScalar, visit } = await import('yaml')
  visit(document, {
    Alias(_, { range }) {
      throw new Malformed('its YAML has an alias, which is not read', pointAt(range?.[0] ?? 0))
    },
    Map(_, { items }) {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (keys.has(key.value)) throw new Malformed('its YAML repeats a key', pointAt(key.range?.[0] ?? 0))
        keys.add(key.value)
      }
    },
  })
}

/**
 * Finds nodes by their path. Finding a key compares all keys before it, so that the nodes above the last one are kept for
 * its neighbours.
 */
function nodesBelow<Node>(
  root: Node | undefined,
  childAt: (node: Node, step: string | number) => Node | undefined,
): (path: readonly (string | number)[]) => Node | undefined {
  const steps: (string | number)[] = []
  const nodes = [root]
  return path => {
    const differs = path.findIndex((step, at) => step !== steps[at])
    steps.length = differs === -1 ? path.length : differs
    nodes.length = steps.length + 1
    for (const step of path.slice(steps.length)) {
      const above = nodes.at(-1)
      nodes.push(above && childAt(above, step))
      steps.push(step)
    }
    return nodes.at(-1)
  }
}

/** Converts offsets to lines and columns. Finds the line ends once. */
function pointsIn(text: string): PointAt {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return offset => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}
