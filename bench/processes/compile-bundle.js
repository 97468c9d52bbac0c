// Compiles a directory, and makes a bundle of it.
import { dirname } from 'node:path'
import { compile } from 'agent-apps/compiler'

const [directory, bundle] = process.argv.slice(2)
await compile({ cwd: dirname(directory), paths: [directory], bundle, minify: true })
