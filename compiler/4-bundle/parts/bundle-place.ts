import { basename, dirname } from 'node:path'

/** The place that a bundle is written to. */
export interface BundlePath {
  /** Absolute. */
  folder: string
  /** The entry's file name. */
  name: string
  /** The folder beside it for all other modules. */
  chunks: string
  types: string
}

/** The lock's file name. It lies in the folder of chunks: skill directories may be read-only, and other projects may write a bundle to the same place. */
export const LOCK = 'bundle.lock'

export const BUNDLE_NAME = /^[\w-][\w.-]*\.m?js$/

/** The places of a bundle's files, from the absolute path of its entry. */
export function bundlePlace(file: string): BundlePath {
  const name = basename(file)
  const bare = name.replace(/\.m?js$/, '')
  return {
    folder: dirname(file),
    name,
    chunks: `${bare}-chunks`,
    types: `${bare}${name.endsWith('.mjs') ? '.d.mts' : '.d.ts'}`,
  }
}
