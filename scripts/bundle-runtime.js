import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const RUNTIME = 'dist/runtime'
const ENTRIES = ['index.js', 'agent-apps.js']
/** What `#disk` leads to: the host decides which, so they stay files of their own. */
const DISKS = ['disk.js', 'no-disk.js']
/**
 * What is loaded when it is first needed, and shares no state with the rest: each is a whole file of its own, so that
 * nothing has to be cut out of what every process loads.
 */
const LATER = [
  'runtime/resolve-json-schema.js',
  'runtime/validate-schema.js',
  'src/schema/standard-issues.js',
]

/**
 * Makes few files of the runtime's many: a process that starts for one skill spends more time on finding and
 * loading twenty small modules than on the skill. What both entries need is one file that they share, so that a
 * tool of the one is a tool of the other. Declarations stay as they are.
 */
const bundled = new Set([
  ...(await bundle(
    ENTRIES.map(entry => `${RUNTIME}/${entry}`),
    { splitting: true, chunkNames: 'shared', plugins: [leftForLater()] },
  )),
  ...(await bundle(
    LATER.map(file => `dist/${file}`),
    { entryNames: '[name]' },
  )),
])
for (const name of readdirSync(join(PROJECT, RUNTIME))) {
  const file = `${RUNTIME}/${name}`
  if (name.endsWith('.js') && !DISKS.includes(name) && !bundled.has(file)) rmSync(join(PROJECT, file))
}

/** @returns the files written, relative to the project */
async function bundle(entryPoints, options) {
  const { metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints,
    outdir: RUNTIME,
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    // Left in place, so that whoever looks at what was built sees a package that should not be there.
    packages: 'external',
    external: ['#disk'],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    ...options,
  })
  return Object.keys(metafile.outputs)
}

/** Leaves the imports of those files in place; all of them lie beside each other once they are bundled. */
function leftForLater() {
  const files = new Set(LATER.map(file => join(PROJECT, 'dist', file)))
  return {
    name: 'left-for-later',
    setup({ onResolve }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) =>
        kind === 'dynamic-import' && files.has(join(resolveDir, path))
          ? { path: `./${basename(path)}`, external: true }
          : undefined,
      )
    },
  }
}
