import type { MatchedTool } from '../patterns/tool-pattern.js'
import type { ToolFrontmatter, ToolKind } from '../skill/frontmatter.js'
import { INTERNAL_TAG } from '../skill/names.js'

/** What of a tool says whether a model is to know of it. */
export interface OfferedTool {
  name: string
  kind: ToolKind
  frontmatter: ToolFrontmatter
  origin?: { layer: string; entry: string; file: string }
}

/**
 * True for what is there for agents at all: neither hidden nor disabled, and nothing that runs around other tools or says
 * what holds for a folder.
 */
export function isThere({ frontmatter: { visibility, role, metadata } }: OfferedTool): boolean {
  const isEnabled = metadata.enabled !== false && metadata.enabled !== 'false'
  return visibility !== 'hidden' && isEnabled && role !== 'middleware' && role !== 'main'
}

/** True for what a model is shown. What says nothing of itself is not offered. */
export function isOffered(tool: OfferedTool): boolean {
  return isThere(tool) && tool.frontmatter.description !== undefined
}

/** True for a tool that says itself that its content belongs into the prompt. */
export function isInPrompt({ kind, frontmatter: { role, inPrompt } }: OfferedTool): boolean {
  return role === 'context' && (kind !== 'folder' || inPrompt === true)
}

/** True for the library's own. It is told by where it lies as well: an index could claim the tag. */
export function isLibrary({ origin, frontmatter: { tags } }: OfferedTool): boolean {
  return origin?.layer === 'bundled' && tags.includes(INTERNAL_TAG)
}

/** A tool as patterns see it. */
export function matchedTool(tool: OfferedTool): MatchedTool {
  return { name: tool.name, tags: tool.frontmatter.tags, isLibrary: isLibrary(tool) }
}
