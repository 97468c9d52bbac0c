import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { ROOT } from './processes.js'
import { temporary } from './temporary.js'

/**
 * Builds modules of the sources that no public entry leads to, beside each other and with the packages that they need.
 *
 * @param sources relative to the project
 * @returns the URL of the first
 */
export async function builtSource(...sources: [string, ...string[]]): Promise<string> {
  const outdir = temporary()
  await build({
    absWorkingDir: ROOT,
    entryPoints: sources,
    outdir,
    entryNames: '[name]',
    outExtension: { '.js': '.js' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    logLevel: 'error',
  })
  return pathToFileURL(join(outdir, basename(sources[0]).replace(/\.ts$/, '.js'))).href
}
