import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import { INDEX_DIRECTORY } from '../../src/index-format.js'
import { readRegularFile } from '../regular-file.js'
import { loaderOf, withoutForeignMaps } from './import-guard.js'
import type { BundlePlace, Placement } from './module-source.js'

/** `import.meta` means the source file wherever it is bundled to, so its fields become names that each file defines. */
export const META_FIELDS = {
  'import.meta.url': '__agentAppsSourceUrl',
  'import.meta.dirname': '__agentAppsSourceDirname',
  'import.meta.filename': '__agentAppsSourceFilename',
}

/** Puts the definition of a file's own URL before its first line, on that line, so that no line moves. */
export function sourceUrls(
  { directory, root }: BundlePlace,
  files: readonly string[],
  placement: Placement,
): Plugin {
  const wanted = new Set(files)
  const modules = join(directory, INDEX_DIRECTORY, '/')
  return {
    name: 'agent-apps-source-urls',
    setup({ onLoad }) {
      onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: 'file' }, ({ path }) => {
        if (!wanted.has(path)) return undefined
        const target =
          placement === 'index'
            ? relativeUrl(relative(modules, path).replaceAll('\\', '/'))
            : pathToFileURL(path).href
        const prelude = [
          "import { fileURLToPath as __agentAppsPath, pathToFileURL as __agentAppsUrl } from 'node:url';",
          'const { url: __agentAppsModuleUrl } = import.meta;',
          `const __agentAppsSourceFilename = __agentAppsPath(new URL(${JSON.stringify(target)}, __agentAppsModuleUrl));`,
          // Which characters are encoded is Node's to say, and differs between its versions.
          'const __agentAppsSourceUrl = __agentAppsUrl(__agentAppsSourceFilename).href;',
          "const __agentAppsSourceDirname = __agentAppsPath(new URL('.', __agentAppsSourceUrl)).slice(0, -1);",
        ].join(' ')
        const text = withoutForeignMaps(readRegularFile(path).toString(), path, root)
        const hashbang = /^#!.*\n/.exec(text)?.[0] ?? ''
        // A hashbang's line is kept as an empty one.
        const contents = `${prelude}${hashbang && '\n'}${text.slice(hashbang.length)}`
        return { contents, loader: loaderOf(path) }
      })
    },
  }
}

/** A relative path as a relative URL. */
function relativeUrl(path: string): string {
  const [, up = '', rest = ''] = /^((?:\.\.\/)*)(.*)$/s.exec(path) ?? []
  const url = new URL('file:///')
  url.pathname = rest.replaceAll('%', '%25')
  return up + url.pathname.slice(1)
}
