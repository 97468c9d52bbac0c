import { type CascadeRecord, isBroken, type ToolRecord } from '../src/index-format.js'
import { isJsonObject, type JsonObject } from '../src/json.js'
import type { DeclaredTool } from './4-bundle/declare-tools.js'
import { cascadesOf, type IndexedDirectory } from './bundle-directory.js'

/** The tools that a bundle exports, the first of each name; of the library those that are called by name. */
export function declaredTools(
  indexed: readonly IndexedDirectory[],
  library: IndexedDirectory | null,
): DeclaredTool[] {
  const declared = new Map<string, DeclaredTool | null>()
  for (const directory of library ? [...indexed, library] : indexed) {
    const cascades = cascadesOf(directory)
    for (const [name, record] of directory.tools) {
      if (declared.has(name)) continue
      const { role, visibility } = isBroken(record) ? {} : record.frontmatter
      const isCalled = directory !== library || (role === undefined && visibility !== 'hidden')
      // A broken tool keeps its name from later directories, and is none.
      if (isBroken(record)) declared.set(name, null)
      else if (isCalled) declared.set(name, declaredTool(name, record, cascades.get(name)))
    }
  }
  return [...declared.values()].filter(tool => tool !== null)
}

function declaredTool(
  name: string,
  { kind, frontmatter }: ToolRecord,
  cascade: CascadeRecord | undefined,
): DeclaredTool {
  const { description, role, metadata } = frontmatter
  const params: unknown = frontmatter.params ?? cascade?.metadata?.params
  const returns: unknown = frontmatter.returns ?? cascade?.metadata?.returns
  const isDelegated = metadata.delegate !== undefined || cascade?.body !== undefined
  const isAlone = !cascade || (cascade.chain.length === 0 && !cascade.open)
  return {
    name,
    description,
    params: isKnown(params)
      ? params
      : params === undefined && !isDelegated && role !== 'middleware'
        ? 'none'
        : undefined,
    returns: isKnown(returns)
      ? returns
      : returns === undefined && !isDelegated && kind !== 'code' && isAlone
        ? 'text'
        : undefined,
  }
}

/** False for a schema that is known only when the tool runs. */
function isKnown(schema: unknown): schema is JsonObject {
  return isJsonObject(schema) && !('$resolve' in schema)
}
