import { isBuiltin } from 'node:module'
import { join, posix, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Bundle } from 'agent-apps/compiler'
import type { Plugin, ViteDevServer } from 'vite'
import {
  type AgentAppsOptions,
  compileVirtualModule,
  concerns,
  type Fault,
  inBundle,
  moduleOf,
  noPlaces,
  pathFrom,
  VIRTUAL_MODULE,
  type VirtualModule,
  withImportedAssets,
} from './virtual-module.js'

export type { AgentAppsOptions } from './virtual-module.js'

/** What ids of a bundle's modules begin with; other plugins leave those alone. */
const PREFIX = `\0${VIRTUAL_MODULE}/`
const ENTRY = `${PREFIX}entry`
/** What a module is named by that has the URL of a file, whatever kind of file that is. */
const ASSET_MODULE = '.js'
/** What stands for the URL of a file until it is known where the module lies that asks for it. */
const ASSET_MARK = /agent-apps-asset:([\w./-]+)/g

/** A plugin for Vite: `virtual:agent-apps` is the project's bundle. */
export function agentApps(options: AgentAppsOptions = {}): Plugin {
  let root = process.cwd()
  let assetsDir = 'assets'
  let server: ViteDevServer | undefined
  let compiling: Promise<VirtualModule> | undefined
  /** Where the last compile looked, or the one that runs. */
  let places = noPlaces()
  /** The last one that was made. */
  let bundle: Bundle | undefined
  /** The folder of its files. On a development server each later bundle has its own: a chunk that two had in common would be one module of both. */
  let folder = ''
  let made = 0
  /** Of all bundles so far: who began with an older one still asks for its chunks. */
  const files = new Map<string, Uint8Array>()
  const assets = new Map<string, string>()

  return {
    name: 'agent-apps',
    enforce: 'pre',
    configResolved(config) {
      root = config.root
      assetsDir = config.build.assetsDir
    },
    configureServer(started) {
      server = started
    },
    buildStart() {
      compiling = undefined
    },
    resolveId(id, importer) {
      if (id === VIRTUAL_MODULE) return ENTRY
      if (!importer?.startsWith(PREFIX)) return null
      if (id.startsWith('.')) {
        const path = pathFrom(importer === ENTRY ? `${folder}entry` : importer.slice(PREFIX.length), id)
        return `${PREFIX}${path}${assets.has(path) ? ASSET_MODULE : ''}`
      }
      if (isBuiltin(id)) return null
      // Packages that are not bundled with the skills' code are the project's.
      return this.resolve(id, join(root, 'package.json'), { skipSelf: true })
    },
    async load(id) {
      if (!id.startsWith(PREFIX)) return null
      if (id !== ENTRY) return load(id.slice(PREFIX.length), this.environment?.config.consumer)
      const compiled = await compile().finally(() => {
        const looked = [...places.directories, ...places.files]
        // To the development server a file that a module watches is one that it imports.
        if (server) server.watcher.add(looked)
        else for (const path of looked) this.addWatchFile(path)
      })
      for (const fault of compiled.warnings) this.warn(logOf([fault]))
      if (compiled.bundle === null) return this.error(logOf(compiled.errors))
      if (server && bundle && bundle !== compiled.bundle) folder = `${++made}/`
      bundle = compiled.bundle
      for (const [path, contents] of bundle.files) files.set(`${folder}${path}`, contents)
      for (const [path, file] of bundle.assets) assets.set(`${folder}${path}`, file)
      return load(`${folder}${bundle.entry}`)
    },
    renderChunk(code, { fileName }) {
      const isOurs = [...code.matchAll(ASSET_MARK)].some(([, path = '']) => assets.has(path))
      if (!isOurs) return null
      const up = posix.relative(posix.dirname(fileName), assetsDir)
      const place = (written: string, path: string): string =>
        assets.has(path) ? `${up === '' ? '.' : up}/${posix.basename(path)}` : written
      return { code: code.replace(ASSET_MARK, place), map: null }
    },
    generateBundle: {
      // Of a build for a server, Vite removes the assets that are there before.
      order: 'post',
      handler() {
        if (this.getModuleInfo(ENTRY) === null) return
        for (const path of bundle?.assets.keys() ?? [])
          this.emitFile({
            type: 'asset',
            fileName: `${assetsDir}/${posix.basename(path)}`,
            source: inBundle(files, path),
          })
      },
    },
    hotUpdate({ file, modules }) {
      if (!concerns(places, resolve(file))) return
      compiling = undefined
      const entry = this.environment.moduleGraph.getModuleById(ENTRY)
      return entry && [...modules, entry]
    },
  }

  /** What the project comes to now, whatever changed while it was compiled. */
  async function compile(): Promise<VirtualModule> {
    if (compiling === undefined) {
      places = noPlaces()
      compiling = compileVirtualModule(options, root, places)
    }
    const started = compiling
    const compiled = await started.catch(error => {
      if (compiling === started) compiling = undefined
      throw error
    })
    return compiling === started ? compiled : compile()
  }

  // There is no source map: of modules that are no files Vite keeps none.
  function load(path: string, consumer?: 'client' | 'server'): string {
    const asset = path.slice(0, -ASSET_MODULE.length)
    if (!assets.has(asset)) return withImportedAssets(moduleOf(files, path).code, path, assets)
    const url = assetUrl(asset, consumer)
    // Vite itself would follow a URL that is written in one piece.
    return `const place = import.meta.url\nexport default new URL(${JSON.stringify(url)}, place).href\n`
  }

  function assetUrl(path: string, consumer: 'client' | 'server' | undefined): string {
    if (!server) return `agent-apps-asset:${path}`
    if (consumer === 'server') return pathToFileURL(inBundle(assets, path)).href
    return `data:application/octet-stream;base64,${Buffer.from(inBundle(files, path)).toString('base64')}`
  }
}

interface Log {
  message: string
  pluginCode?: string
  id?: string
  loc?: { file: string; line: number; column: number }
}

/** Faults as one message, at the place of the first. */
function logOf(faults: readonly Fault[]): Log {
  const texts = faults.map(({ text, note, id, place }) => {
    // Of a warning, what shows it leaves the place out.
    const where = place ? `${place.file}:${place.line}:${place.column}: ` : ''
    return `${where}${text} (${id})\n${note}`
  })
  const message = texts.join('\n\n')
  const [first] = faults
  if (first?.place === undefined) return { message, ...(first && { pluginCode: first.id }) }
  const { file, line, column } = first.place
  // Columns count from 0.
  return { message, pluginCode: first.id, id: file, loc: { file, line, column: column - 1 } }
}
