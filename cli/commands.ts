import type { Command } from './command.js'

/** The commands in the order of the overview. Each is loaded only when it is called. */
export const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['init', async () => (await import('./commands/init.js')).init],
  ['compile', async () => (await import('./commands/compile.js')).compileCommand],
  ['clean', async () => (await import('./commands/clean.js')).cleanCommand],
  ['check', async () => (await import('./commands/check.js')).checkCommand],
  ['verify', async () => (await import('./commands/verify.js')).verifyCommand],
  ['list', async () => (await import('./commands/list.js')).list],
  ['catalog', async () => (await import('./commands/catalog.js')).catalog],
  ['describe', async () => (await import('./commands/describe.js')).describe],
  ['explain', async () => (await import('./commands/explain.js')).explain],
  ['trust', async () => (await import('./commands/trust.js')).trust],
  ['run', async () => (await import('./commands/run.js')).run],
  ['render', async () => (await import('./commands/render.js')).render],
  ['export', async () => (await import('./commands/export.js')).exportCommand],
  ['mcp', async () => (await import('./commands/mcp/mcp.js')).mcp],
  ['graph', async () => (await import('./commands/graph.js')).graphCommand],
  ['approvals', async () => (await import('./commands/approvals.js')).approvals],
  ['doctor', async () => (await import('./commands/doctor.js')).doctor],
])
