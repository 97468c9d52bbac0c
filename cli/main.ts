#!/usr/bin/env node
import * as nodeModule from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './run.js'
import { standardIo } from './standard-io.js'

keepCompiledCode()
// Errors of a tool are shown with the positions in its author's files.
process.setSourceMapsEnabled(true)
const io = standardIo()
const code = await run(process.argv.slice(2), io)
// A timer that a tool left running must not keep the command alive.
await io.flush()
process.exit(code)

/**
 * Keeps compiled code for the next command (Node 22.8 and later). It is stored in the `node_modules` that contains the
 * package, so that it is as protected as the package, and `npm ci` removes it. A checkout, whose code changes, keeps none.
 */
function keepCompiledCode(): void {
  const modules = fileURLToPath(new URL('../../..', import.meta.url))
  // Missing in the types of Node 20. If the directory cannot be written, nothing is kept.
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (directory: string) => unknown }
  if (basename(modules) === 'node_modules') enableCompileCache?.(join(modules, '.cache', 'agent-apps'))
}
