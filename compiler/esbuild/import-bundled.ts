import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AgentAppsError } from '../../src/base/error.js'
import { temporaryFolder } from '../files/temporary-files.js'
import type { BundledModule, BundleOptions } from './bundle-modules.js'
import { importHint } from './import-hint.js'
import type { ModuleSource } from './module-source.js'

/**
 * Imports code that was not compiled, bundled as a compile would bundle it, so that it means the same on
 * every Node. Code inside a skill's text is imported from a `data:` URL, so that no file is written for it.
 *
 * @throws TOOL_BROKEN with the author's file and line if the code cannot be bundled; any error of the import
 */
export async function importBundled(
  directory: string,
  source: ModuleSource,
  external: readonly string[] = [],
): Promise<Record<string, unknown>> {
  if ('code' in source) return import(await bundleToUrl(directory, source, external))
  const { file } = await bundleApart(directory, source, external)
  return import(pathToFileURL(file).href)
}

/** Bundles code inside a skill's text to a module in a `data:` URL. Stack traces name the skill's file. */
async function bundleToUrl(
  directory: string,
  source: Extract<ModuleSource, { code: string }>,
  external: readonly string[],
): Promise<string> {
  const { module, outputs } = await bundleOne(directory, source, { placement: 'url', external })
  const name = `\n//# sourceURL=${pathToFileURL(source.from).href}#inline\n`
  const text = Buffer.concat([outputs.get(module.file) ?? new Uint8Array(), Buffer.from(name)])
  return `data:text/javascript;base64,${text.toString('base64')}`
}

/**
 * Bundles code for an import by this process or one that it starts. The bundle stays in its own folder until this process ends, for
 * later imports. The returned file of the module is absolute.
 *
 * @throws TOOL_BROKEN with the author's file and line, where the code cannot be bundled
 */
export async function bundleApart(
  directory: string,
  source: ModuleSource,
  external: readonly string[] = [],
): Promise<BundledModule> {
  const { module, outputs } = await bundleOne(directory, source, { placement: 'anywhere', external })
  const folder = temporaryFolder()
  for (const [file, contents] of outputs) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), contents)
  }
  return { file: join(folder, module.file), inputs: module.inputs }
}

/**
 * The project's files that code is bundled of, as compiling would record them, and the SHA-256 of each.
 *
 * @throws TOOL_BROKEN where the code cannot be bundled
 */
export async function bundledInputs(
  directory: string,
  source: ModuleSource,
  external: readonly string[] = [],
): Promise<[path: string, sha256: string][]> {
  const { module } = await bundleOne(directory, source, { placement: 'anywhere', external })
  const real = realpathSync.native(directory)
  const inputs = module.inputs.map(input => relative(real, input).replaceAll('\\', '/'))
  return digestInputs(real, inputs)
}

async function bundleOne(
  directory: string,
  source: ModuleSource,
  options: BundleOptions,
): Promise<{ module: BundledModule; outputs: Map<string, Uint8Array> }> {
  const { bundleModules } = await import('./bundle-modules.js')
  const { modules, failures, outputs } = await bundleModules(directory, new Map([['code', source]]), options)
  const [failure] = failures.get('code') ?? []
  if (failure) {
    const { message, file, line, column } = failure
    const where = file === null ? '' : `${file}:${line}:${column}: `
    throw new AgentAppsError('TOOL_BROKEN', `The code cannot be bundled: ${where}${message}`, {
      hint: importHint(message),
      ...(file !== null && { file, position: { line, column } }),
    })
  }
  return { module: modules.get('code') ?? { file: '', inputs: [] }, outputs }
}

/** The SHA-256 of the files that a module was bundled of, by path relative to the directory. */
export function digestInputs(directory: string, inputs: readonly string[]): [path: string, sha256: string][] {
  return inputs.map(input => {
    const file = join(directory, input)
    // It may be gone since it was bundled.
    return [input, existsSync(file) ? hash('sha256', readFileSync(file)) : 'gone']
  })
}
