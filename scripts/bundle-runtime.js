import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const RUNTIME = 'dist/runtime'
const ENTRIES = ['index.js', 'agent-apps.js']
/** What `#disk` leads to: the host decides which, so they stay files of their own. */
const DISKS = ['disk.js', 'no-disk.js']

/**
 * esbuild puts what the same entries reach into one chunk, and a file that is imported on demand is an entry to it.
 * So that these do not cut what is shared into pieces, each is made to reach all of it.
 */
const reachingAll = {
  name: 'agent-apps-reaching-all',
  setup({ onLoad }) {
    const texts = readdirSync(join(PROJECT, RUNTIME))
      .filter(name => name.endsWith('.js'))
      .map(name => [join(PROJECT, RUNTIME, name), readFileSync(join(PROJECT, RUNTIME, name), 'utf8')])
    const onDemand = new Set(
      texts.flatMap(([, text]) =>
        [...text.matchAll(/\bimport\('\.\/([\w-]+\.js)'\)/g)].map(([, name]) => name),
      ),
    )
    for (const [path, text] of texts) {
      if (!onDemand.has(basename(path))) continue
      const filter = new RegExp(`${path.replace(/[^\w/]/g, '\\$&')}$`)
      onLoad({ filter }, () => ({ contents: `${text}\nimport './agent-apps.js'\n` }))
    }
  },
}

/**
 * Makes few files of the runtime's many: a process that starts for one skill spends more time on finding and
 * loading twenty small modules than on the skill. What both entries need is one file, `shared.js`, so that a tool of the one
 * is a tool of the other. What only the main entry has, `helpers.js`, is shared with those files that are imported when
 * something needs them. Declarations stay as they are.
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
    Object.entries(metafile.outputs).map(([path, output]) => [basename(path), nameOf(output)]),
  )
  if (new Set(names.values()).size < names.size)
    throw new Error(`more chunks than have names: ${JSON.stringify([...names])}`)
  return outputFiles.map(({ path, text }) => [names.get(basename(path)), renamed(text, names)])
}

/** A file's text with chunks by their names. An import that takes nothing stands only for `reachingAll`: loading has no effects. */
function renamed(text, names) {
  return [...names]
    .reduce((replaced, [from, to]) => replaced.replaceAll(`"./${from}"`, `"./${to}"`), text)
    .replace(/^import "\.\/[\w-]+\.js";\n/gm, '')
}

/** A chunk's name by what is in it; a file that is imported on demand is named like its module. */
function nameOf({ entryPoint, inputs }) {
  if (entryPoint) return basename(entryPoint)
  if (`${RUNTIME}/invoke.js` in inputs) return 'shared.js'
  return 'dist/src/serialize.js' in inputs ? 'helpers.js' : `chunk-${basename(Object.keys(inputs).sort()[0])}`
}
