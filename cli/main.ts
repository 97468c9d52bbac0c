#!/usr/bin/env node
import * as nodeModule from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { KEPT_COMMANDS } from './kept-commands.js'
import { run } from './run.js'
import { standardIo } from './standard-io.js'

const cache = codeCache()
// Missing in the types of Node 20. If the directory cannot be written, nothing is kept.
const { enableCompileCache } = nodeModule as { enableCompileCache?: (directory: string) => unknown }
if (cache) enableCompileCache?.(cache)
// Errors of a tool are shown with the positions in its author's files.
process.setSourceMapsEnabled(true)
const io = standardIo()
/** Set by `loadCommands`. */
let keep = (): void => {}
const code = await run(process.argv.slice(2), io, loadCommands)
// A timer that a tool left running must not keep the command alive.
await io.flush()
// A command that failed or was interrupted may have needed only a part of its code.
if (code === 0) keep()
process.exit(code)

/**
 * The directory in which compiled code is kept for the next command. It is in the `node_modules` that contains the
 * package, so that it is as protected as the package, and `npm ci` removes it. A checkout, whose code changes, has none.
 */
function codeCache(): string | undefined {
  const modules = fileURLToPath(new URL('../../..', import.meta.url))
  return basename(modules) === 'node_modules' ? join(modules, '.cache', 'agent-apps') : undefined
}

/** Loads the commands. If Node keeps no compiled code, `compile` and `check` come from the script that does. */
async function loadCommands(name?: string): Promise<typeof import('./run-command.js')> {
  const isKept = name !== undefined && KEPT_COMMANDS.has(name)
  if (isKept && cache && !enableCompileCache && !process.env.NODE_DISABLE_COMPILE_CACHE) {
    const kept = (await import('./kept-script.js')).loadKept(cache, name)
    if (kept) {
      keep = kept.keep
      return kept.commands
    }
  }
  return import('./run-command.js')
}
