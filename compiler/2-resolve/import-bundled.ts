import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AgentAppsError } from '../../src/error.js'
import { importHint } from '../import-hint.js'
import { bundleModules } from './bundle-modules.js'
import type { ModuleSource } from './module-source.js'
import { temporaryFolder } from './temporary-folder.js'

/** Code bundled into a folder of its own. */
export interface BundledCode {
  /** The module, absolute. */
  file: string
  /** The project's own files in it, absolute. */
  inputs: string[]
}

/**
 * Imports code that was not compiled, bundled as compiling would have bundled it, so that it means the same on
 * every Node.
 *
 * @throws TOOL_BROKEN with the author's file and line, where the code cannot be bundled; what importing it throws
 */
export async function importBundled(
  directory: string,
  source: ModuleSource,
  external: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const { file } = await bundleApart(directory, source, external)
  return import(pathToFileURL(file).href)
}

/**
 * Bundles code for an import by this process or one that it starts. The bundle lies in a folder of its own until the
 * process ends, for what it imports later.
 *
 * @throws TOOL_BROKEN with the author's file and line, where the code cannot be bundled
 */
export async function bundleApart(
  directory: string,
  source: ModuleSource,
  external: readonly string[] = [],
): Promise<BundledCode> {
  const { modules, failures, outputs } = await bundleModules(directory, new Map([['code', source]]), {
    placement: 'anywhere',
    external,
  })
  const [failure] = failures.get('code') ?? []
  if (failure) {
    const { message, file, line, column } = failure
    const where = file === null ? '' : `${file}:${line}:${column}: `
    throw new AgentAppsError('TOOL_BROKEN', `The code cannot be bundled: ${where}${message}`, {
      hint: importHint(message),
      ...(file !== null && { file, position: { line, column } }),
    })
  }
  const folder = temporaryFolder()
  for (const [file, contents] of outputs) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), contents)
  }
  const { file = '', inputs = [] } = modules.get('code') ?? {}
  return { file: join(folder, file), inputs }
}
