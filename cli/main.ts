#!/usr/bin/env node
import { run } from './run.js'
import { standardIo } from './standard-io.js'

// What a tool throws is told with the places in its author's files.
process.setSourceMapsEnabled(true)
process.exitCode = await run(process.argv.slice(2), standardIo())
