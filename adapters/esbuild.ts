import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { BuildOptions, OnLoadResult, PartialMessage, Plugin } from 'esbuild'
import {
  type AgentAppsOptions,
  compileVirtualModule,
  dependsOnItsPlace,
  type Fault,
  isAsset,
  lineOf,
  moduleOf,
  pathFrom,
  type VirtualModule,
  withImportedAssets,
} from './virtual-module.js'

export type { AgentAppsOptions } from './virtual-module.js'

const NAMESPACE = 'agent-apps'

/** A plugin for esbuild: `virtual:agent-apps` is the project's bundle. */
export function agentApps(options: AgentAppsOptions = {}): Plugin {
  return {
    name: 'agent-apps',
    setup({ initialOptions, onResolve, onLoad }) {
      const { absWorkingDir: cwd = process.cwd(), sourcemap = false } = initialOptions
      let files: ReadonlyMap<string, Uint8Array> = new Map()

      onResolve({ filter: /^virtual:agent-apps$/ }, ({ path }) => ({ path, namespace: NAMESPACE }))
      onResolve({ filter: /^\./, namespace: NAMESPACE }, ({ path, importer }) => ({
        path: pathFrom(importer, path),
        namespace: NAMESPACE,
      }))
      onLoad({ filter: /^virtual:agent-apps$/, namespace: NAMESPACE }, async () => {
        const compiled = await compileVirtualModule(options, cwd, sourcemap !== false)
        const said: OnLoadResult = {
          errors: compiled.errors.map(fault => messageOf(fault, cwd)),
          warnings: compiled.warnings.map(fault => messageOf(fault, cwd)),
          ...watched(compiled),
        }
        if (compiled.bundle === null) return said
        files = compiled.bundle.files
        return { ...said, ...load(compiled.bundle.entry) }
      })
      onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => load(path))

      function load(path: string): OnLoadResult {
        if (isAsset(path)) return { contents: files.get(path) ?? '', loader: 'file' }
        const { code, map } = moduleOf(files, path)
        if (dependsOnItsPlace(code) && !isModule(initialOptions)) return { errors: [NO_MODULE] }
        const inline = map && Buffer.from(map).toString('base64')
        const own = withImportedAssets(code)
        return {
          contents: inline ? `${own}\n//# sourceMappingURL=data:application/json;base64,${inline}\n` : own,
          loader: 'js',
          // Packages that are not bundled with the skills' code are the project's.
          resolveDir: cwd,
        }
      }
    },
  }
}

function isModule({ format, platform }: BuildOptions): boolean {
  return (format ?? (platform === 'neutral' ? 'esm' : undefined)) === 'esm'
}

const NO_MODULE: PartialMessage = {
  id: 'BUNDLE_CODE',
  text: "A skill's code depends on where it lies, which only an ES module knows.",
  notes: [{ text: "Build with `format: 'esm'`." }],
}

function messageOf({ text, note, id, place }: Fault, cwd: string): PartialMessage {
  const message = { id, text: `${text} (${id})`, notes: [{ text: note }] }
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

/** What esbuild watches: contents of files, and names in directories. */
function watched({ files, directories }: VirtualModule): Pick<OnLoadResult, 'watchFiles' | 'watchDirs'> {
  // What is not there may come as either.
  const missing = [...files].filter(path => statSync(path, { throwIfNoEntry: false }) === undefined)
  const known = [...files].filter(path => statSync(path, { throwIfNoEntry: false })?.isFile())
  const inside = [...directories].flatMap(directory =>
    readdirSync(directory, { withFileTypes: true })
      .filter(item => item.isFile() && !item.name.startsWith('.agent-apps'))
      .map(({ name }) => join(directory, name)),
  )
  return { watchFiles: [...known, ...inside, ...missing], watchDirs: [...directories, ...missing] }
}
