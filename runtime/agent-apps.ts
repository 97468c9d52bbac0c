/** The package's main entry: the runtime, and what skill authors and hosts need besides. */
export {
  type DefinedTool,
  defineTool,
  isDefinedTool,
  type ToolContext,
  type ToolDefinition,
  type ToolSchema,
} from '../src/define-tool.js'
export { extractFrontmatter, type FrontmatterContext } from '../src/frontmatter.js'
export { isMetaKey, type MetaKey } from '../src/meta-key.js'
export { nearest } from '../src/nearest.js'
export { extractIgnore, filterPaths, iterPaths, mapPaths, pathEntryDir } from '../src/path-entry.js'
export { parseReference, type Reference } from '../src/reference.js'
export type { StandardSchema } from '../src/standard-schema.js'
export { normalizeTags } from '../src/tags.js'
export { isToolName } from '../src/tool-name.js'
export { findAuthority, mainInDir } from './find-authority.js'
export * from './index.js'
