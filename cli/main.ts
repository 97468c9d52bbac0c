#!/usr/bin/env node
import { run } from './run.js'
import { standardIo } from './standard-io.js'

// Errors of a tool are shown with the positions in its author's files.
process.setSourceMapsEnabled(true)
process.exitCode = await run(process.argv.slice(2), standardIo())
