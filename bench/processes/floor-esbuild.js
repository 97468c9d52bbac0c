// One bare esbuild call with splitting over the same entries, with the options that matter to its work.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const [directory, outdir] = process.argv.slice(2)
await build({
  entryPoints: readdirSync(directory)
    .filter(name => /\.skill\.ts$/.test(name))
    .map(name => join(directory, name)),
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  sourcemap: 'linked',
  sourcesContent: false,
  external: ['agent-apps'],
  metafile: true,
  logLevel: 'silent',
})
