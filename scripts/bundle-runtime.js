import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const RUNTIME = 'dist/runtime'
const ENTRIES = ['index.js', 'agent-apps.js']
/** What `#disk` leads to: the host decides which, so they stay files of their own. */
const DISKS = ['disk.js', 'no-disk.js']

/**
 * Makes few files of the runtime's many: a process that starts for one skill spends more time on finding and
 * loading twenty small modules than on the skill. What both entries need is one file that they share, so that a
 * tool of the one is a tool of the other. Declarations stay as they are.
 */
const bundled = new Set(await bundle())
for (const name of readdirSync(join(PROJECT, RUNTIME))) {
  const file = `${RUNTIME}/${name}`
  if (name.endsWith('.js') && !DISKS.includes(name) && !bundled.has(file)) rmSync(join(PROJECT, file))
}

/** @returns the files written, relative to the project */
async function bundle() {
  const { metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints: ENTRIES.map(entry => `${RUNTIME}/${entry}`),
    outdir: RUNTIME,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    chunkNames: 'shared',
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    // Left in place, so that whoever looks at what was built sees a package that should not be there.
    packages: 'external',
    external: ['#disk'],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  return Object.keys(metafile.outputs)
}
