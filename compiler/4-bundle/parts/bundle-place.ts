import { basename, dirname } from 'node:path'

/** Where a bundle goes. */
export interface BundlePlace {
  /** Absolute. */
  folder: string
  /** The entry's file name. */
  name: string
  /** The folder beside it for all other modules. */
  chunks: string
  /** The file name of the declarations. */
  types: string
}

/** In the folder of chunks: what the indexes lie in need not be writable, and others' projects may write a bundle to this place, too. */
export const LOCK = 'bundle.lock'

export const BUNDLE_NAME = /^[\w-][\w.-]*\.m?js$/

/** The files of a bundle whose entry is to be `file`, absolute. */
export function bundlePlace(file: string): BundlePlace {
  const name = basename(file)
  const bare = name.replace(/\.m?js$/, '')
  return {
    folder: dirname(file),
    name,
    chunks: `${bare}-chunks`,
    types: `${bare}${name.endsWith('.mjs') ? '.d.mts' : '.d.ts'}`,
  }
}
