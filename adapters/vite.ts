/**
 * A plugin for Vite that builds skills into an application.
 *
 * @module agent-apps/vite
 */

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

/** The prefix of ids of a bundle's modules, which other plugins ignore. */
const PREFIX = `\0${VIRTUAL_MODULE}/`
const ENTRY = `${PREFIX}entry`
/** The extension of a module that exports the URL of a file of any kind. */
const ASSET_MODULE = '.js'
/** The placeholder for the URL of a file until the location of the importing chunk is known. */
const ASSET_MARK = /agent-apps-asset:([\w./-]+)/g

/** A plugin for Vite: `virtual:agent-apps` is the project's bundle. */
export function agentApps(options: AgentAppsOptions = {}): Plugin {
  const project = new Project(options)
  return {
    name: 'agent-apps',
    enforce: 'pre',
    configResolved({ root, build }) {
      project.root = root
      project.assetsDir = build.assetsDir
    },
    configureServer(server) {
      project.server = server
    },
    buildStart() {
      project.forget()
    },
    resolveId(id, importer) {
      if (id === VIRTUAL_MODULE) return ENTRY
      if (!importer?.startsWith(PREFIX)) return null
      if (id.startsWith('.')) return project.idFrom(importer, id)
      if (isBuiltin(id)) return null
      // External packages are resolved from the project.
      return this.resolve(id, join(project.root, 'package.json'), { skipSelf: true })
    },
    async load(id) {
      if (!id.startsWith(PREFIX)) return null
      const consumer = this.environment?.config.consumer
      if (id !== ENTRY) return project.codeOf(id.slice(PREFIX.length), consumer)
      const compiled = await project.compile().finally(() => {
        for (const path of project.placesToWatch()) this.addWatchFile(path)
      })
      for (const fault of compiled.warnings) this.warn(logOf([fault]))
      if (compiled.bundle === null) return this.error(logOf(compiled.errors))
      return project.codeOf(project.take(compiled.bundle), consumer)
    },
    renderChunk(code, { fileName }) {
      return project.withPlaces(code, fileName)
    },
    generateBundle: {
      // In a build for a server, Vite removes assets that were emitted earlier.
      order: 'post',
      handler() {
        if (this.getModuleInfo(ENTRY) === null) return
        for (const asset of project.emitted()) this.emitFile({ type: 'asset', ...asset })
      },
    },
    hotUpdate({ file, modules }) {
      if (!project.isConcernedBy(file)) return
      project.forget()
      const entry = this.environment.moduleGraph.getModuleById(ENTRY)
      return entry && [...modules, entry]
    },
  }
}

/** The project of a plugin, and its bundles. */
class Project {
  root = process.cwd()
  assetsDir = 'assets'
  server: ViteDevServer | undefined
  private compiling: Promise<VirtualModule> | undefined
  /** The places that the last or running compile read. */
  private places = noPlaces()
  private bundle: Bundle | undefined
  /** The folder of its files. On a development server each bundle has its own, so that no two share a module. */
  private folder = ''
  private made = 0
  /** The files of all bundles so far: a page that loaded an older bundle still requests its chunks. */
  private readonly files = new Map<string, Uint8Array>()
  private readonly assets = new Map<string, string>()

  constructor(private readonly options: AgentAppsOptions) {}

  /** Makes the next `compile` start anew. */
  forget(): void {
    this.compiling = undefined
  }

  isConcernedBy(file: string): boolean {
    return concerns(this.places, resolve(file))
  }

  /** Compiles the project, again if it changes meanwhile. */
  async compile(): Promise<VirtualModule> {
    if (this.compiling === undefined) {
      this.places = noPlaces()
      this.compiling = compileVirtualModule(this.options, this.root, this.places)
    }
    const started = this.compiling
    const compiled = await started.catch(error => {
      if (this.compiling === started) this.forget()
      throw error
    })
    return this.compiling === started ? compiled : this.compile()
  }

  /** The paths that a build watches. A development server watches them itself, since it would count them as imports. */
  placesToWatch(): string[] {
    const looked = [...this.places.directories, ...this.places.files]
    if (!this.server) return looked
    this.server.watcher.add(looked)
    return []
  }

  /** Adds the files of a bundle, and returns the path of its entry. */
  take(bundle: Bundle): string {
    if (this.server && this.bundle && this.bundle !== bundle) this.folder = `${++this.made}/`
    this.bundle = bundle
    for (const [path, contents] of bundle.files) this.files.set(`${this.folder}${path}`, contents)
    for (const [path, file] of bundle.assets) this.assets.set(`${this.folder}${path}`, file)
    return `${this.folder}${bundle.entry}`
  }

  /** The id of a relative import of a bundle's module. */
  idFrom(importer: string, path: string): string {
    const from = importer === ENTRY ? `${this.folder}entry` : importer.slice(PREFIX.length)
    const found = pathFrom(from, path)
    return `${PREFIX}${found}${this.assets.has(found) ? ASSET_MODULE : ''}`
  }

  /** The code of a module, without a source map: Vite drops those of virtual modules. */
  codeOf(path: string, consumer?: 'client' | 'server'): string {
    const asset = path.slice(0, -ASSET_MODULE.length)
    if (!this.assets.has(asset)) return withImportedAssets(moduleOf(this.files, path).code, path, this.assets)
    const url = this.assetUrl(asset, consumer)
    // Vite would rewrite `new URL(…, import.meta.url)`.
    return `const place = import.meta.url\nexport default new URL(${JSON.stringify(url)}, place).href\n`
  }

  private assetUrl(path: string, consumer: 'client' | 'server' | undefined): string {
    if (!this.server) return `agent-apps-asset:${path}`
    if (consumer === 'server') return pathToFileURL(inBundle(this.assets, path)).href
    const contents = Buffer.from(inBundle(this.files, path))
    return `data:application/octet-stream;base64,${contents.toString('base64')}`
  }

  /** A chunk with the URLs of its files; null if it has none. */
  withPlaces(code: string, fileName: string): { code: string; map: null } | null {
    const isOurs = [...code.matchAll(ASSET_MARK)].some(([, path = '']) => this.assets.has(path))
    if (!isOurs) return null
    const up = posix.relative(posix.dirname(fileName), this.assetsDir)
    const place = (written: string, path: string): string =>
      this.assets.has(path) ? `${up === '' ? '.' : up}/${posix.basename(path)}` : written
    return { code: code.replace(ASSET_MARK, place), map: null }
  }

  /** The files that a build writes beside its chunks. */
  emitted(): { fileName: string; source: Uint8Array }[] {
    return [...(this.bundle?.assets.keys() ?? [])].map(path => ({
      fileName: `${this.assetsDir}/${posix.basename(path)}`,
      source: inBundle(this.files, path),
    }))
  }
}

interface Log {
  message: string
  pluginCode?: string
  id?: string
  loc?: { file: string; line: number; column: number }
}

/** Faults as one message, located at the first. */
function logOf(faults: readonly Fault[]): Log {
  const texts = faults.map(({ text, note, id, place }) => {
    // Vite shows no location of warnings.
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
