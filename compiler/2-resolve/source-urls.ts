import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import { INDEX_DIRECTORY } from '../../src/index-format.js'
import { readRegularFile } from '../regular-file.js'
import { loaderOf, withoutForeignMaps } from './import-guard.js'
import type { BundlePlace, Placement } from './module-source.js'

/** What a file says of its own place means the source wherever that is bundled to, so it becomes names that each file defines. */
export const OWN_PLACES = {
  'import.meta.url': '__agentAppsSourceUrl',
  'import.meta.dirname': '__agentAppsSourceDirname',
  'import.meta.filename': '__agentAppsSourceFilename',
  __dirname: '__agentAppsSourceDirname',
  __filename: '__agentAppsSourceFilename',
}

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
        const prelude = isModule ? moduleDefinitions(target) : commonDefinitions(target)
        const text = withoutForeignMaps(readRegularFile(path).toString(), path, root)
        const hashbang = /^#!.*\n/.exec(text)?.[0] ?? ''
        // A hashbang's line is kept as an empty one.
        const contents = `${prelude}${hashbang && '\n'}${text.slice(hashbang.length)}`
        return { contents, loader: loaderOf(path) }
      })
    },
  }
}

/** `target` is the URL of the source, absolute or relative to the module. */
function moduleDefinitions(target: string): string {
  return [
    "import { fileURLToPath as __agentAppsPath, pathToFileURL as __agentAppsUrl } from 'node:url';",
    'const { url: __agentAppsModuleUrl } = import.meta;',
    `const __agentAppsSourceFilename = __agentAppsPath(new URL(${JSON.stringify(target)}, __agentAppsModuleUrl));`,
    // Which characters are encoded is Node's to say, and differs between its versions.
    'const __agentAppsSourceUrl = __agentAppsUrl(__agentAppsSourceFilename).href;',
    "const __agentAppsSourceDirname = __agentAppsPath(new URL('.', __agentAppsSourceUrl)).slice(0, -1);",
  ].join(' ')
}

/** The same for CommonJS, which has no `import.meta`; by `require` it knows the folder of the module that it is bundled to. */
function commonDefinitions(target: string): string {
  const folder = "require('node:url').pathToFileURL(require.resolve.paths('./')[0] + '/')"
  return [
    `const __agentAppsSourceFilename = require('node:url').fileURLToPath(new URL(${JSON.stringify(target)}, ${folder}));`,
    "const __agentAppsSourceDirname = require('node:path').dirname(__agentAppsSourceFilename);",
  ].join(' ')
}

/** A relative path as a relative URL. */
function relativeUrl(path: string): string {
  const [, up = '', rest = ''] = /^((?:\.\.\/)*)(.*)$/s.exec(path) ?? []
  const url = new URL('file:///')
  url.pathname = rest.replaceAll('%', '%25')
  return up + url.pathname.slice(1)
}
