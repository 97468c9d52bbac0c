#!/usr/bin/env node
import { keepCompiledCode } from './code-cache.js'
import { run } from './run.js'
import { standardIo } from './standard-io.js'

keepCompiledCode()
// Errors of a tool are shown with the positions in its author's files.
process.setSourceMapsEnabled(true)
const io = standardIo()
const code = await run(process.argv.slice(2), io)
// Timers that a tool left running must not keep a finished command from ending.
await io.flush()
process.exit(code)
