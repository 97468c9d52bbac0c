import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const RUNTIME = 'dist/runtime'
const ENTRIES = ['index.js', 'agent-apps.js']
/** What `#disk` leads to: the host decides which, so they stay files of their own. */
const DISKS = ['disk.js', 'disk-imports.js', 'no-disk.js', 'bundle-disk.js']

/**
 * esbuild puts what the same entries reach into one chunk, and a file that is imported on demand is an entry to it.
 * So that these do not cut what is shared into pieces, each is made to reach all of it.
 */
const reachingAll = {
  name: 'agent-apps-reaching-all',
  setup({ onLoad }) {
    const onDemand = new Set(['dist/runtime', 'dist/src'].flatMap(importedOnDemand))
    onLoad({ filter: /\/dist\/(?:runtime|src)\/.*\.js$/ }, ({ path }) => {
      if (!onDemand.has(path)) return null
      const entry = JSON.stringify(join(PROJECT, RUNTIME, 'agent-apps.js'))
      return { contents: `${readFileSync(path, 'utf8')}\nimport ${entry}\n`, resolveDir: dirname(path) }
    })
  },
}

/** The files that those of a folder import when something needs them, absolute. */
function importedOnDemand(folder) {
  const directory = join(PROJECT, folder)
  return readdirSync(directory)
    .filter(name => name.endsWith('.js'))
    .flatMap(name => [...readFileSync(join(directory, name), 'utf8').matchAll(/import\('(\.[^']+\.js)'\)/g)])
    .map(([, path]) => join(directory, path))
}

/**
 * Makes few files of the runtime's many: a process that starts for one skill spends more time on finding and
 * loading twenty small modules than on the skill. What both entries need is one file, `shared.js`, so that a tool of the one
 * is a tool of the other. What is imported when something needs it is a file of its own. Declarations stay as they are.
 */
const bundled = await bundle()
for (const name of readdirSync(join(PROJECT, RUNTIME))) {
  if (name.endsWith('.js') && !DISKS.includes(name)) rmSync(join(PROJECT, RUNTIME, name))
}
for (const [name, text] of bundled) writeFileSync(join(PROJECT, RUNTIME, name), text)

/** @returns the texts of the files, by name */
async function bundle() {
  const { metafile, outputFiles } = await build({
    absWorkingDir: PROJECT,
    entryPoints: ENTRIES.map(entry => `${RUNTIME}/${entry}`),
    outdir: RUNTIME,
    bundle: true,
    splitting: true,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    // Left in place, so that whoever looks at what was built sees a package that should not be there.
    packages: 'external',
    external: ['#disk'],
    plugins: [reachingAll],
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
    logOverride: { 'ignored-bare-import': 'silent' },
  })
  const names = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [basename(path), nameOf(path, output)]),
  )
  return outputFiles.map(({ path, text }) => [
    names.get(basename(path)),
    [...names].reduce((replaced, [from, to]) => replaced.replaceAll(`"./${from}"`, `"./${to}"`), text),
  ])
}

/** A file that is imported on demand is named like its module; other chunks by their content. */
function nameOf(path, { entryPoint, inputs }) {
  if (entryPoint) return basename(entryPoint)
  return `${RUNTIME}/invoke.js` in inputs ? 'shared.js' : basename(path)
}
