/** The workspace of a runtime for tools of one's own: paths behind the wall that the built-in tools have. It needs Node. */

export { ctxWorkspace, type ToolWorkspace, type WorkspacePath } from './ctx-workspace.js'
export { pathKey } from './wall/path-key.js'
