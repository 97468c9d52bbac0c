/** The package's main entry: the runtime, and what skill authors and hosts need besides. */
export { extractFrontmatter, type FrontmatterContext } from '../src/frontmatter.js'
export { nearest } from '../src/nearest.js'
export { parseReference, type Reference } from '../src/reference.js'
export { normalizeTags } from '../src/tags.js'
export { isToolName } from '../src/tool-name.js'
export * from './index.js'
