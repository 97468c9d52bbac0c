import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))

/** An application that uses the runtime as its users do. */
const APPLICATION = `
  import { createRuntime } from 'agent-apps/runtime'
  console.log(await createRuntime({ paths: ['skills'] }).listTools())
`

/**
 * Bundles the slim runtime and measures what is loaded with it: its entry and all that this imports. What is imported
 * when something needs it is a file of its own, and counted apart. `faults` tell what may not be in any and is.
 */
export async function bundleSize() {
  const neutral = await bundle("export * from 'agent-apps/runtime'", 'neutral')
  const application = await bundle(APPLICATION, 'node')
  const loaded = staticOutputs(neutral.metafile)
  const sizes = neutral.outputFiles.map(({ path, contents }) => ({
    isLoaded: loaded.has(relative(PROJECT, path)),
    bytes: contents.length,
    gzip: gzipSync(contents, { level: 9 }).length,
  }))
  const sum = (key, isLoaded) =>
    sizes.reduce((all, one) => all + (one.isLoaded === isLoaded ? one[key] : 0), 0)
  return {
    bytes: sum('bytes', true),
    gzip: sum('gzip', true),
    onDemand: sum('gzip', false),
    faults: [...neutralFaults(neutral.metafile), ...applicationFaults(application.metafile)],
  }
}

function bundle(contents, platform) {
  return build({
    stdin: { contents, resolveDir: PROJECT, sourcefile: 'application.js' },
    absWorkingDir: PROJECT,
    bundle: true,
    splitting: true,
    outdir: 'bundled',
    minify: true,
    format: 'esm',
    platform,
    conditions: [],
    // Left in place, so that the metafile names who imports one, instead of a failed build.
    external: ['node:*'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
}

/** The files that importing the entry loads, whatever is called then. */
function staticOutputs({ outputs }) {
  const entry = Object.keys(outputs).find(path => outputs[path].entryPoint === 'application.js')
  const loaded = new Set([entry])
  for (const path of loaded) {
    for (const { path: imported, kind, external } of outputs[path].imports)
      if (kind !== 'dynamic-import' && !external) loaded.add(imported)
  }
  return loaded
}

function neutralFaults({ inputs }) {
  return Object.entries(inputs).flatMap(([file, { imports }]) => [
    ...(file.includes('node_modules/') ? [`the slim runtime holds the package file ${file}`] : []),
    ...imports.filter(({ path }) => path.startsWith('node:')).map(({ path }) => `${file} imports ${path}`),
  ])
}

function applicationFaults({ inputs }) {
  return Object.keys(inputs)
    .filter(file => file.startsWith('dist/compiler/'))
    .map(file => `an application carries ${file}`)
}
