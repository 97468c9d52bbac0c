import { findNodeAtLocation, parseTree } from 'jsonc-parser'

/** A parsed text, and the line on which each value of it begins. */
export interface Located {
  value: unknown
  /** The line of the value at a path of keys and indexes; 1 if the path leads nowhere. */
  lineAt: (path: readonly (string | number)[]) => number
}

/**
 * Parses JSON, JSON Lines or YAML, by the ending of the file's name. JSON Lines are an array of their lines.
 *
 * @throws Error where the text is malformed
 */
export async function parseLocated(file: string, text: string): Promise<Located> {
  if (file.endsWith('.json')) return parseJson(text)
  if (file.endsWith('.jsonl')) return parseJsonLines(text)
  const { isNode, parseDocument } = await import('yaml')
  const document = parseDocument(text)
  const [fault] = document.errors
  if (fault) throw fault
  return {
    value: document.toJS(),
    lineAt: path => {
      const node = document.getIn(path, true)
      return lineOf(text, isNode(node) ? (node.range?.[0] ?? 0) : 0)
    },
  }
}

function parseJson(text: string): Located {
  const value: unknown = JSON.parse(text)
  const tree = parseTree(text)
  return {
    value,
    lineAt: path => lineOf(text, tree ? (findNodeAtLocation(tree, [...path])?.offset ?? 0) : 0),
  }
}

function parseJsonLines(text: string): Located {
  const lines = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [{ line, index }]))
  const value = lines.map(({ line, index }): unknown => {
    try {
      return JSON.parse(line)
    } catch (error) {
      throw new Error(`line ${index + 1} is not JSON`, { cause: error })
    }
  })
  return { value, lineAt: ([at]) => (typeof at === 'number' ? (lines[at]?.index ?? 0) + 1 : 1) }
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
