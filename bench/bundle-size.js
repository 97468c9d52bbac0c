import { join } from 'node:path'
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
 * Bundles the slim runtime and measures what is loaded with it; what it loads when it needs it is not counted.
 * `faults` tell what may not be in either and is.
 */
export async function bundleSize() {
  const neutral = await bundle("export * from 'agent-apps/runtime'", 'neutral')
  const application = await bundle(APPLICATION, 'node')
  const contents = loadedAtOnce(neutral)
  return {
    bytes: contents.length,
    gzip: gzipSync(contents, { level: 9 }).length,
    faults: [...neutralFaults(neutral.metafile), ...applicationFaults(application.metafile)],
  }
}

function bundle(contents, platform) {
  return build({
    stdin: { contents, resolveDir: PROJECT, sourcefile: 'application.js' },
    absWorkingDir: PROJECT,
    bundle: true,
    splitting: true,
    outdir: 'out',
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

/** The text of a build's entry, and of all that it imports without waiting to be asked. */
function loadedAtOnce({ metafile: { outputs }, outputFiles }) {
  const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === 'application.js')
  const files = new Set([entry])
  for (const file of files) {
    for (const { path, kind } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement' && path in outputs) files.add(path)
  }
  return Buffer.concat(
    [...files].map(file => outputFiles.find(({ path }) => path === join(PROJECT, file)).contents),
  )
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
