/**
 * The workspace of a runtime for your own tools: paths behind the same wall as for the built-in tools. It needs Node.
 *
 * @module agent-apps/workspace
 */

export { ctxWorkspace, type ToolWorkspace, type WorkspacePath } from './ctx-workspace.js'
export { pathKey } from './wall/path-key.js'
