// Compiles directories.
import { compile } from 'agent-apps/compiler'

await compile({ paths: process.argv.slice(2) })
