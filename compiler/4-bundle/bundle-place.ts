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
