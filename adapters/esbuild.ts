/**
 * A plugin for esbuild that builds skills into an application.
 *
 * @module agent-apps/esbuild
 */

import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { type Bundle, isOwnName } from 'agent-apps/compiler'
import type { BuildOptions, Format, OnLoadResult, PartialMessage, Plugin } from 'esbuild'
import {
  type AgentAppsOptions,
  compileVirtualModule,
  type Fault,
  inBundle,
  moduleOf,
  noPlaces,
  type Places,
  pathFrom,
  withImportedAssets,
} from './virtual-module.js'

export type { AgentAppsOptions } from './virtual-module.js'

const NAMESPACE = 'agent-apps'
const FILES = 'agent-apps-files'

/** A plugin for esbuild: `virtual:agent-apps` is the project's bundle. */
export function agentApps(options: AgentAppsOptions = {}): Plugin {
  return {
    name: 'agent-apps',
    setup({ initialOptions, onResolve, onLoad }) {
      const { absWorkingDir: cwd = process.cwd(), sourcemap = false } = initialOptions
      const format = formatOf(initialOptions)
      let bundle: Pick<Bundle, 'files' | 'assets'> = { files: new Map(), assets: new Map() }

      onResolve({ filter: /^virtual:agent-apps$/ }, ({ path }) => ({ path, namespace: NAMESPACE }))
      onResolve({ filter: /^\./, namespace: NAMESPACE }, ({ path, importer }) => ({
        path: pathFrom(importer, path),
        namespace: bundle.assets.has(importer) ? FILES : NAMESPACE,
      }))
      onLoad({ filter: /^virtual:agent-apps$/, namespace: NAMESPACE }, async () => {
        const places = noPlaces()
        const compiled = await compileVirtualModule(options, cwd, places, sourcemap !== false)
        const result: OnLoadResult = {
          errors: compiled.errors.map(fault => messageOf(fault, cwd)),
          warnings: compiled.warnings.map(fault => messageOf(fault, cwd)),
          ...watched(places),
        }
        if (compiled.bundle === null) return result
        bundle = compiled.bundle
        return { ...result, ...load(compiled.bundle.entry) }
      })
      onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => load(path))
      onLoad({ filter: /.*/, namespace: FILES }, ({ path }) => ({
        contents: inBundle(bundle.files, path),
        loader: 'file',
      }))

      function load(path: string): OnLoadResult {
        if (bundle.assets.has(path)) return assetModule(path, format)
        const { code, map } = moduleOf(bundle.files, path)
        const own = withImportedAssets(
          format === 'cjs' ? code.replace(OWN_PLACE, '(__filename)') : code,
          path,
          bundle.assets,
        )
        const inline = map && Buffer.from(map).toString('base64')
        return {
          contents: inline ? `${own}\n//# sourceMappingURL=data:application/json;base64,${inline}\n` : own,
          loader: 'js',
          // External packages are resolved from the project.
          resolveDir: cwd,
        }
      }
    },
  }
}

function formatOf({ format, platform = 'browser' }: BuildOptions): Format {
  return format ?? ({ browser: 'iife', node: 'cjs', neutral: 'esm' } as const)[platform]
}

/** The `require` of bundled CommonJS code, as `compiler/esbuild/require-banner.ts` writes it. */
const OWN_PLACE = /(?<=__agentAppsRequire)\(import\.meta\.url\)/

/** A module that exports the URL of a file, which esbuild writes beside its output. */
function assetModule(path: string, format: Format): OnLoadResult {
  const place = { esm: 'import.meta.url', cjs: "require('url').pathToFileURL(__filename)", iife: null }[
    format
  ]
  if (place === null) return { errors: [NO_PLACE] }
  const name = JSON.stringify(`./${posix.basename(path)}`)
  return { contents: `import url from ${name}\nexport default new URL(url, ${place}).href\n` }
}

const NO_PLACE: PartialMessage = {
  text: 'A skill reads a file by its own location, which code of the format "iife" does not know. (BUNDLE_CODE)',
  notes: [
    { text: "Build with `format: 'esm'`, import the file as text, or make it a resource of the skill." },
  ],
}

function messageOf({ text, note, id, place }: Fault, cwd: string): PartialMessage {
  const message = { text: `${text} (${id})`, notes: [{ text: note }] }
  if (place === undefined) return message
  const { line, column } = place
  const lineText = lineOf(place.file, line)
  const location = {
    file: relative(cwd, place.file).replaceAll('\\', '/'),
    line,
    // esbuild counts bytes.
    column: Buffer.byteLength(lineText.slice(0, column - 1)),
    lineText,
  }
  return { ...message, location }
}

/** A line of a file, from 1; empty if it does not exist. */
function lineOf(file: string, line: number): string {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)[line - 1] ?? ''
  } catch {
    return ''
  }
}

/** The files and directories that esbuild watches: contents of files, and names in directories. */
function watched({ files, directories }: Places): Pick<OnLoadResult, 'watchFiles' | 'watchDirs'> {
  const stats = [...files].map(path => [path, statOf(path)] as const)
  const known = stats.filter(([, stat]) => stat?.isFile()).map(([path]) => path)
  // A missing path may become either.
  const missing = stats.filter(([, stat]) => stat === undefined).map(([path]) => path)
  const inside = [...directories].flatMap(directory =>
    itemsIn(directory)
      .filter(item => item.isFile() && !isOwnName(item.name))
      .map(({ name }) => join(directory, name)),
  )
  return { watchFiles: [...known, ...inside, ...missing], watchDirs: [...directories, ...missing] }
}

/** Undefined for a path that is missing or cannot be accessed. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** Empty for a directory that is missing or cannot be read. */
function itemsIn(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}
