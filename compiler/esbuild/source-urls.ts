import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import { INDEX_DIRECTORY } from '../../src/index/index-format.js'
import { readRegularFile } from '../files/regular-file.js'
import { loaderOf, withoutForeignMaps } from './import-guard.js'
import type { BundlePlace, Placement } from './module-source.js'
import { placeDefinitions, relativeUrl } from './source-place.js'

/** True for a file of code that may mention its own place. */
export function mentionsOwnPlace(file: string): boolean {
  return CODE.test(file) && /\bimport\.meta\b|\b__(?:dir|file)name\b/.test(readRegularFile(file).toString())
}

const CODE = /\.[cm]?[jt]sx?$/

/**
 * Puts the definition of a file's own URL before its first line, on that line, so that no line moves.
 *
 * @param files the modules, and whether each may be an ES module: an `import` makes one of any other, too
 */
export function sourceUrls(
  { directory, root }: BundlePlace,
  files: ReadonlyMap<string, boolean>,
  placement: Placement,
): Plugin {
  const modules = join(directory, INDEX_DIRECTORY, '/')
  return {
    name: 'agent-apps-source-urls',
    setup({ onLoad }) {
      onLoad({ filter: CODE, namespace: 'file' }, ({ path }) => {
        const isModule = files.get(path)
        if (isModule === undefined) return undefined
        const target =
          placement === 'index'
            ? relativeUrl(relative(modules, path).replaceAll('\\', '/'))
            : pathToFileURL(path).href
        const text = withoutForeignMaps(readRegularFile(path).toString(), path, root)
        const hashbang = /^#!.*\n/.exec(text)?.[0] ?? ''
        // A hashbang's line is kept as an empty one.
        const contents = `${placeDefinitions(target, isModule)}${hashbang && '\n'}${text.slice(hashbang.length)}`
        return { contents, loader: loaderOf(path) }
      })
    },
  }
}
