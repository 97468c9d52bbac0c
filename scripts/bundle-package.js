import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'acorn'
import { build } from 'esbuild'

const DIST = fileURLToPath(new URL('../dist', import.meta.url))

/**
 * Makes few files of the many of each part: a process that starts spends more time on finding and loading a hundred small modules
 * than on a skill. What the entries of a part need is one file, `shared.js`, so that an object of the one is an object of the other.
 * What is imported when something needs it is a file of its own, named like its module. Declarations stay as they are.
 */
const PARTS = [
  {
    folder: 'runtime',
    entries: ['agent-apps.js', 'index.js'],
    hubs: ['agent-apps.js'],
    // What compares files with an index, and what lists it, which is all that a list needs besides the slim entry.
    apart: ['directory/snapshot.js', 'find/all-tools.js'],
    // What an agent needs for its first list, without the rest of the main entry.
    joined: ['agents/agent-methods.js', 'agents/agent-catalog.js', 'find/all-tools.js'],
    // What `#disk` leads to, the host decides which, and a module that Node's own hooks load.
    alone: [
      'host/disk.js',
      'host/disk-imports.js',
      'host/main-module.js',
      'host/state-directory.js',
      'host/file-cache.js',
      'host/no-disk.js',
      'host/bundle-disk.js',
      'bundled-tools.js',
    ],
    platform: 'neutral',
  },
  {
    folder: 'compiler',
    entries: ['index.js', 'disk/disk.js'],
    // `index.js` loads `compile.js` when a project is compiled.
    hubs: ['index.js', 'compile.js'],
    // What a process or thread of its own runs. It lies where `new URL('./….js', import.meta.url)` finds it from any file.
    alone: [
      'directives/content-worker.js',
      '2-resolve/contents/directive-worker.js',
      '2-resolve/modules/evaluate-worker.js',
    ],
    platform: 'node',
  },
  { folder: 'workspace', entries: ['index.js'], platform: 'node' },
  {
    folder: 'cli',
    entries: ['main.js'],
    // What `compile` and `check` share, and little else.
    hubs: [
      'run-command.js',
      'report/formats.js',
      'report/github-annotations.js',
      'report/no-skills.js',
      'report/summary.js',
    ],
    platform: 'node',
  },
  {
    folder: 'adapters',
    entries: [
      'ai-sdk.js',
      'esbuild.js',
      'export.js',
      'langchain.js',
      'mcp.js',
      // What the server of an exported plugin is made of.
      'serve-plugin.js',
      'store.js',
      'testing.js',
      'vite.js',
    ],
    platform: 'node',
  },
]

const SERIALIZER_CODE = await serializerCode()
const { version: PACKAGE_VERSION } = JSON.parse(readFileSync(join(DIST, '../package.json'), 'utf8'))
// Imported now, because bundling replaces this file.
const { KEPT_COMMANDS } = await import('../dist/cli/kept-commands.js')
for (const part of PARTS) await replace(part)
await bundleKeptCommands()
// Each part has taken in what it needs of these. Their declarations stay.
for (const file of filesIn(join(DIST, 'src'))) rmSync(file)

/** Puts the bundled files in the place of those that they were made of. */
async function replace({ folder, entries, hubs = [], apart = [], joined = [], alone = [], platform }) {
  const directory = join(DIST, folder)
  const reaching =
    hubs.length === 0 ? [] : [reachingAll(directory, { hubs, apart, joined, slimmest: entries.at(-1) })]
  const made = [
    ...(await bundle(directory, entries, { platform, splitting: true, plugins: reaching })),
    ...(await bundle(directory, alone, { platform: 'node', plugins: [onDemandOutside()] })),
  ]
  for (const name of readdirSync(directory, { recursive: true })) {
    if (name.endsWith('.js')) rmSync(join(directory, name))
  }
  for (const [name, text] of made) writeFileSync(join(directory, name), text)
}

/** @returns the texts of the files, by name */
async function bundle(directory, entries, options) {
  if (entries.length === 0) return []
  const { metafile, outputFiles } = await build({
    ...options,
    absWorkingDir: DIST,
    entryPoints: entries.map(entry => join(directory, entry)),
    outdir: directory,
    bundle: true,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    format: 'esm',
    target: 'es2023',
    // Left in place, so that whoever looks at what was built sees a package that should not be there.
    packages: 'external',
    external: ['#disk'],
    define: {
      SERIALIZER_CODE: JSON.stringify(SERIALIZER_CODE),
      PACKAGE_VERSION: JSON.stringify(PACKAGE_VERSION),
    },
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
    logOverride: { 'ignored-bare-import': 'silent' },
  })
  const names = namesOf(metafile.outputs, basename(entries.at(-1)))
  if (new Set(names.values()).size < names.size)
    throw new Error(`Two modules of ${directory} that are files of their own have one name.`)
  return outputFiles.map(({ path, text }) => [
    names.get(basename(path)),
    // The package has no side effects (`package.json`), so an import of nothing would only be loaded.
    text
      .replace(/^(?:import "\.\/[^"]+";\n)+/gm, '')
      .replace(/"\.\/([^"]+)"/g, (written, made) => (names.has(made) ? `"./${names.get(made)}"` : written)),
  ])
}

/**
 * Makes the script of which `cli/kept-script.ts` keeps the compiled code: `KEPT_COMMANDS` with the compiler, as a function of
 * what a script lacks. Other commands stay outside, and never run from here.
 */
async function bundleKeptCommands() {
  const kept = new Set([...KEPT_COMMANDS].map(name => `./${name}.js`))
  const found = new Set()
  const { outputFiles } = await build({
    entryPoints: [join(DIST, 'cli/run-command.js')],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'es2023',
    packages: 'external',
    define: { 'import.meta': 'META' },
    banner: { js: '((module, require, META, IMPORT) => {' },
    footer: { js: '})' },
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
    plugins: [
      {
        name: 'agent-apps-kept-commands',
        setup({ onResolve }) {
          onResolve({ filter: /^agent-apps\/compiler$/ }, () => ({ path: join(DIST, 'compiler/index.js') }))
          onResolve({ filter: /^\.\// }, ({ path, kind, importer }) => {
            if (kind !== 'dynamic-import' || importer !== join(DIST, 'cli/shared.js')) return null
            if (!kept.has(path)) return { path, external: true }
            found.add(path)
            return null
          })
        },
      },
    ],
  })
  if (found.size !== kept.size) throw new Error('The commands are no longer imported by cli/shared.js.')
  const text = outputFiles[0].text
  const tokens = []
  parse(text, { ecmaVersion: 'latest', onToken: tokens })
  // A script whose compiled code was kept cannot import by itself.
  const imports = tokens.filter(({ type }) => type.keyword === 'import').reverse()
  const script = imports.reduce(
    (code, { start, end }) => `${code.slice(0, start)}IMPORT${code.slice(end)}`,
    text,
  )
  // Kept in ASCII for `kept-script.ts`, which reads bytes as characters. esbuild escapes strings, but not regular expressions.
  const escaped = script.replace(
    /[^\0-\x7f]/g,
    one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  writeFileSync(join(DIST, 'compiler/commands.cjs'), escaped)
}

/** The code that `src/serialize/transferable-serializer.ts` gives: it imports nothing, and needs nothing of a host. */
async function serializerCode() {
  const { outputFiles } = await build({
    entryPoints: [join(DIST, 'src/serialize/transferred.js')],
    inject: [join(DIST, 'src/serialize/bare-host.js')],
    bundle: true,
    format: 'iife',
    globalName: 'serializer',
    target: 'es2022',
    minify: true,
    write: false,
  })
  return outputFiles[0].text
}

/** A file that is imported on demand is named like its module, and the largest that the last and slimmest entry imports `shared.js`. */
function namesOf(outputs, slimmest) {
  const { imports } = Object.values(outputs).find(
    ({ entryPoint }) => entryPoint && basename(entryPoint) === slimmest,
  )
  const sizes = imports
    .filter(({ path, kind }) => kind === 'import-statement' && path in outputs)
    .map(({ path }) => [outputs[path].bytes, path])
  const [, shared] = sizes.sort(([a], [b]) => b - a)[0] ?? []
  return new Map(
    Object.entries(outputs).map(([path, { entryPoint }]) => [
      basename(path),
      path === shared ? 'shared.js' : basename(entryPoint ?? path),
    ]),
  )
}

/** What a file that stands alone imports when it needs it is another file. */
function onDemandOutside() {
  return {
    name: 'agent-apps-on-demand-outside',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ path, kind }) =>
        kind === 'dynamic-import' ? { path, external: true } : null,
      )
    },
  }
}

/**
 * esbuild puts what the same entries reach into one chunk, and a file that is imported on demand is an entry to it.
 * So that these do not cut what is shared into pieces, each is made to reach all of it; those that stand apart, what the
 * slimmest entry reaches; and what either needs at once, nothing.
 */
function reachingAll(directory, { hubs, apart, joined, slimmest }) {
  const absolute = files => files.map(file => join(directory, file))
  return {
    name: 'agent-apps-reaching-all',
    setup({ onLoad }) {
      const needed = neededBy(absolute([slimmest, ...apart]))
      const onDemand = filesIn(DIST)
        .flatMap(importedOnDemand)
        .filter(path => !needed.has(path))
      const neededByJoined = neededBy(absolute(joined))
      const reached = new Map([
        ...onDemand.map(path => [path, absolute(neededByJoined.has(path) ? joined : hubs)]),
        ...absolute(apart).map(path => [path, absolute([slimmest])]),
      ])
      onLoad({ filter: /\/dist\/.*\.js$/ }, ({ path }) => {
        if (!reached.has(path)) return null
        const imports = reached.get(path).map(entry => `import ${JSON.stringify(entry)}\n`)
        const contents = `${readFileSync(path, 'utf8')}\n${imports.join('')}`
        return { contents, resolveDir: dirname(path) }
      })
    },
  }
}

/** The files, absolute, that some files import at once, and those themselves. */
function neededBy(files) {
  const needed = new Set(files)
  for (const file of needed)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+\.js)'/g))
      needed.add(join(dirname(file), path))
  return needed
}

/** The files that one imports when something needs them, absolute. */
function importedOnDemand(file) {
  const imports = readFileSync(file, 'utf8').matchAll(/import\('(\.[^']+\.js)'\)/g)
  return [...imports].map(([, path]) => join(dirname(file), path))
}

function filesIn(directory) {
  return readdirSync(directory, { recursive: true })
    .filter(name => name.endsWith('.js'))
    .map(name => join(directory, name))
}
