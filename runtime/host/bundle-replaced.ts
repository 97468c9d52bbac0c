import { AgentAppsError } from '../../src/base/error.js'

/** The names of a bundle's chunks: other files and packages are not part of it. */
const CHUNK = /-[0-9A-Z]{8,16}\.m?js$/

/** Rethrows why a part of this bundle cannot be loaded: BUNDLE_REPLACED if another bundle took its place. */
export function bundleReplaced(error: unknown): never {
  const { code, url } = Object(error) as { code?: unknown; url?: unknown }
  if (code !== 'ERR_MODULE_NOT_FOUND' || typeof url !== 'string' || !CHUNK.test(url)) throw error
  throw new AgentAppsError('BUNDLE_REPLACED', `A part of the running bundle is gone: ${url}`, {
    hint: 'Restart the process. While it runs, bundle into another folder.',
    file: url,
    cause: error,
  })
}
