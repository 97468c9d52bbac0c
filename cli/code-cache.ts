import * as nodeModule from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Keeps compiled code for the next command, where Node can (22.8). It lies in the `node_modules` that the package
 * is in, so that only those can change it who can change the package, and `npm ci` removes it.
 */
export function keepCompiledCode(): void {
  const place = codeCacheBeside(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
  // Typed as in Node 20, which does not have it. A place that cannot be written is not a fault: then nothing is kept.
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (directory: string) => unknown }
  if (place !== null) enableCompileCache?.(place)
}

/** The place for compiled code of an installed package; null for a checkout, whose code changes. */
export function codeCacheBeside(packageDirectory: string): string | null {
  const modules = dirname(packageDirectory)
  return basename(modules) === 'node_modules' ? join(modules, '.cache', 'agent-apps') : null
}
