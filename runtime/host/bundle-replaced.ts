import { AgentAppsError } from '../../src/base/error.js'

/** What chunks of a bundle are called: its other files, and packages, are none of its parts. */
const CHUNK = /-[0-9A-Z]{8,16}\.m?js$/

/** Throws why a part of this bundle cannot be loaded: in words, where another bundle has come into its place meanwhile. */
export function bundleReplaced(error: unknown): never {
  const { code, url } = Object(error) as { code?: unknown; url?: unknown }
  if (code !== 'ERR_MODULE_NOT_FOUND' || typeof url !== 'string' || !CHUNK.test(url)) throw error
  throw new AgentAppsError(
    'BUNDLE_REPLACED',
    `A part of the bundle that this process runs is gone, ${url}: the bundle was made anew, or removed.`,
    {
      hint: 'Start the process again. Where an old bundle still runs, make the new one in another folder.',
      file: url,
      cause: error,
    },
  )
}
