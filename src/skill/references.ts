/** How a tool refers to something: by which of its fields, or in its content. */
const REFERENCE_KINDS = [
  /** `$inherit` of its metadata. */
  'inherit',
  /** `delegate` of its metadata, except `inline://`. */
  'delegate',
  /** An exact name in `allowed-tools`; denied names are not references. */
  'allowed-tools',
  /** `:skill[ref]` or `:tool[ref]`. */
  'directive',
  /** `:include[path]`. */
  'include',
  /** A relative Markdown link or image. */
  'link',
] as const

/** The place of a reference in its skill, such as `delegate` or `link`. */
export type ReferenceKind = (typeof REFERENCE_KINDS)[number]

/**
 * A reference of a tool, as written: `{ kind: 'delegate', ref: 'word-count', line: 5, column: 13 }`.
 * Its target depends on the other tools.
 */
export interface ToolReference {
  kind: ReferenceKind
  /** A tool reference; for a link or an include, a path from the file's folder. */
  ref: string
  /** Line in the author's file, frontmatter included, from 1. */
  line: number
  /** Column in UTF-16 units, from 1. */
  column: number
}

/** Sorts references by their position in the file. */
export function inOrder(references: readonly ToolReference[]): ToolReference[] {
  return references.toSorted((a, b) => a.line - b.line || a.column - b.column)
}

/** True for an array of references, from any source. */
export function isReferences(value: unknown): value is ToolReference[] {
  return Array.isArray(value) && value.every(isReference)
}

function isReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { kind, ref, line, column } = value as Record<keyof ToolReference, unknown>
  const isKnown = REFERENCE_KINDS.some(known => known === kind)
  return isKnown && typeof ref === 'string' && isCount(line) && isCount(column)
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1
}
