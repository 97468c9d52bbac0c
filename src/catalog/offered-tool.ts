import type { MatchedTool } from '../patterns/tool-pattern.js'
import type { ToolFrontmatter, ToolKind } from '../skill/frontmatter.js'
import { CORE_METADATA_KEYS } from '../skill/metadata-keys.js'
import { INTERNAL_TAG, RUN_TAG } from '../skill/names.js'

/** The properties of a tool that decide whether a model is shown it. */
export interface OfferedTool {
  name: string
  kind: ToolKind
  src?: string | null
  frontmatter: ToolFrontmatter
  origin?: { layer: string; entry: string; file: string }
}

const CORE_KEYS = new Set(CORE_METADATA_KEYS)

/** True for tools that agents can see: not hidden, disabled, a middleware or a main skill. */
export function isThere({ frontmatter }: OfferedTool): boolean {
  const { visibility, role } = frontmatter
  return visibility !== 'hidden' && !isDisabled(frontmatter) && role !== 'middleware' && role !== 'main'
}

/** True for a tool that its author disabled. */
export function isDisabled({ metadata: { enabled } }: ToolFrontmatter): boolean {
  return enabled === false || enabled === 'false'
}

/** True for a tool that a model is shown. */
export function isOffered(tool: OfferedTool): boolean {
  return isThere(tool) && !tool.frontmatter.tags.includes(RUN_TAG)
}

/** The fields of a frontmatter that decide whether its tool is offered, allowed and listed. */
type Deciding = Pick<ToolFrontmatter, 'tags' | 'metadata'> & {
  [Field in 'role' | 'visibility']?: ToolFrontmatter[Field] | undefined
}

/**
 * True for a frontmatter that has no say in whether its tool is offered, allowed or listed, and where: that of most tools. Its name and
 * tags may be meant by others' rules.
 */
export function isPlain({ role = 'context', visibility, tags, metadata }: Deciding): boolean {
  return (
    role === 'context' &&
    visibility === undefined &&
    !tags.some(tag => tag === RUN_TAG || tag === INTERNAL_TAG) &&
    !Object.keys(metadata).some(key => CORE_KEYS.has(key))
  )
}

/** True for a tool that declares itself that its content belongs in the prompt. */
export function isInPrompt({ kind, frontmatter: { role, inPrompt } }: OfferedTool): boolean {
  return role === 'context' && (kind !== 'folder' || inPrompt === true)
}

/** True for the library's own tools. The layer is checked as well, because an index could claim the tag. */
export function isLibrary(tool: OfferedTool): boolean {
  return tool.frontmatter.tags.includes(INTERNAL_TAG) && tool.origin?.layer === 'bundled'
}

/** Returns a tool in the form that patterns are matched against. */
export function matchedTool(tool: OfferedTool): MatchedTool {
  const { name, frontmatter, origin } = tool
  // The URL of a file is made when it is read, and selects nothing.
  const src = origin && origin.file !== '' ? null : (tool.src ?? null)
  return { name, tags: frontmatter.tags, src, isLibrary: isLibrary(tool) }
}
