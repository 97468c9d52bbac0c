import { lazy } from '../host/lazy.js'

/**
 * The code that runs and renders a tool. Finding one loads none of it, so that a process that only finds
 * tools, and a small bundle, go without.
 */
export const code = lazy(() => import('../call/run-code.js'))
export const markdown = lazy(() => import('../content/markdown-tool.js'))
export const contents = lazy(() => import('../content/find-content.js'))
