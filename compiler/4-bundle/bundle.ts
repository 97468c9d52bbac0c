import { realpathSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { AgentAppsError } from '../../src/base/error.js'
import type { Message } from '../diagnostics/diagnostics.js'
import { projectRoot } from '../esbuild/project-root.js'
import type { Project } from '../project/project.js'
import type { WatchSink } from '../project/stage.js'
import { readModule } from './collect/bundled-module.js'
import { collectBundle } from './collect/collect-bundle.js'
import {
  distinctFaults,
  type PlacedFault,
  packageWarnings,
  placedFault,
  refusalOf,
} from './follow/unfollowed-places.js'
import type { BundledAsset, BundledDirectory } from './parts/bundle-parts.js'
import { BUNDLE_NAME, type BundlePath, bundlePlace } from './parts/bundle-place.js'
import { type DeclaredTool, declareTools, shownTools } from './types/declare-tools.js'
import { buildBundle } from './write/build-bundle.js'
import { bundleKey, lastBundle, rememberBundle } from './write/bundle-cache.js'
import { LIST } from './write/bundle-list.js'
import { checkPlace } from './write/check-place.js'
import { hasLeftovers, outdatedFiles, writeBundle } from './write/write-bundle.js'

export interface BundleOptions {
  /** The entry's file: `….mjs` or `….js`, relative to `cwd`. Its other files go into a folder beside it. */
  bundle?: string | undefined
  /** Patterns of the tools that the bundle keeps, with everything they depend on. Default: the configuration's, if `paths` is absent; else all. */
  keep?: readonly string[] | undefined
  /** True to minify the code. Default: false. */
  minify?: boolean | undefined
  /** True to write source maps beside the code. Default: false. */
  sourcemap?: boolean | undefined
  /** `node`: the bundle is for hosts with files and processes, and has the tools that need them. Default: any host. */
  host?: 'node' | undefined
  /** Include the library's tools in the types. Default: false. */
  libraryTypes?: boolean | undefined
}

/**
 * Refuses a path that no bundle can be written to, before anything is compiled.
 *
 * @throws OPTIONS_INVALID, BUNDLE_PLACE
 */
export function checkBundle(
  { cwd, directories }: Project,
  { bundle = '', sourcemap = false, host }: BundleOptions,
): void {
  if (host !== undefined && host !== 'node') {
    throw new AgentAppsError('OPTIONS_INVALID', `A bundle cannot be for the host ${JSON.stringify(host)}.`, {
      hint: 'Say `node`, or leave it out for a bundle that runs on any host.',
    })
  }
  if (!BUNDLE_NAME.test(basename(bundle))) {
    throw new AgentAppsError(
      'OPTIONS_INVALID',
      `A bundle cannot be named ${JSON.stringify(basename(bundle))}.`,
      {
        hint: 'Give it a name of letters, digits, dots, `_` and `-` that ends in `.mjs` or `.js`.',
      },
    )
  }
  checkPlace(bundlePlace(resolve(cwd, bundle)), directories, sourcemap)
}

/** A bundle, ready to be written. */
interface MadeBundle {
  /** Keyed by path relative to the place's folder. */
  files: Map<string, Uint8Array>
  /** The files that code finds relative to itself, by path. */
  assets: Map<string, BundledAsset>
  declared: DeclaredTool[]
  /** Warnings about packages whose code a bundle cannot follow. */
  diagnostics: Message[]
  /** The files, absolute, that went into it and that are in no index of the project. */
  inputs: Set<string>
}

/** The files of a bundle, relative to `cwd`, with its diagnostics. */
export interface BundleReport {
  files: string[]
  diagnostics: Message[]
}

/**
 * Writes a compiled project as one module with chunks, which needs no file system. A bundle that is up to date is not made again.
 *
 * @param options `force`: make it nevertheless
 * @returns the files written
 * @throws BUNDLE_UNCOMPILED, BUNDLE_CODE, BUNDLE_NOT_WRITABLE, INDEX_LOCKED, OPTIONS_INVALID
 */
export async function bundle(
  project: Project,
  { force = false, ...options }: BundleOptions & { force?: boolean | undefined },
  watchSink?: WatchSink,
): Promise<BundleReport> {
  const place = placeOf(project, options)
  const key = keyOf(project, options)
  const last = force || hasLeftovers(place) ? null : lastBundle(project, key, place, watchSink?.path)
  if (last) return { files: [], diagnostics: last.diagnostics }
  const startedAt = Date.now()
  const looked = new Set<string>()
  const path = (one: string): void => {
    looked.add(one)
    watchSink?.path(one)
  }
  const { files, inputs, diagnostics } = await makeBundle(project, place, options, path)
  const written = await writeBundle(place, files)
  // The key is of other indexes if they were written meanwhile.
  if (keyOf(project, options) === key) {
    const made = [...files.keys(), `${place.chunks}/${LIST}`].map(file => join(place.folder, file))
    const looks = [...looked]
    await rememberBundle(project, { key, startedAt, inputs: [...inputs, ...looks], made, looks, diagnostics })
  }
  return { files: shownFiles(written, place, project), diagnostics }
}

/** The files of a bundle that bundling would write. */
export async function outdatedBundle(project: Project, options: BundleOptions): Promise<BundleReport> {
  const place = placeOf(project, options)
  const last = lastBundle(project, keyOf(project, options), place)
  if (last) return { files: [], diagnostics: last.diagnostics }
  const { files, diagnostics } = await makeBundle(project, place, options)
  return { files: shownFiles(outdatedFiles(place, files), place, project), diagnostics }
}

/** Digests the indexes of a project, and the options that a bundle depends on. */
function keyOf(project: Project, { bundle: file, ...options }: BundleOptions): string {
  return bundleKey(project, { file, ...withDefaults(project, options) })
}

function withDefaults(
  project: Project,
  {
    keep = project.keep,
    minify = false,
    sourcemap = false,
    host,
    libraryTypes = false,
  }: Omit<BundleOptions, 'bundle'>,
) {
  return { keep, minify, sourcemap, host, libraryTypes }
}

function placeOf({ cwd }: Project, { bundle: file = '' }: BundleOptions): BundlePath {
  return bundlePlace(resolve(cwd, file))
}

function shownFiles(files: readonly string[], { folder }: BundlePath, { cwd }: Project): string[] {
  return files.map(file => relative(cwd, join(folder, file)).replaceAll('\\', '/'))
}

/**
 * The files of a project's bundle, which is made of its indexes and nothing else.
 *
 * @throws BUNDLE_UNCOMPILED, BUNDLE_CODE, OPTIONS_INVALID
 */
export async function makeBundle(
  project: Project,
  place: BundlePath,
  options: Omit<BundleOptions, 'bundle'>,
  onPath?: (path: string) => void,
): Promise<MadeBundle> {
  const { keep, minify, sourcemap, host, libraryTypes } = withDefaults(project, options)
  const { parts, declared } = await collectBundle(project, keep, host)
  const own = new Set(project.directories.map(({ dir }) => dir))
  const brought = new Map<string, BundledAsset>()
  const unfollowed: PlacedFault[] = []
  const inputs = new Set(parts.directories.filter(({ dir }) => !own.has(dir)).flatMap(sourcesOf))
  const built = await buildBundle(
    parts,
    (directory, module) => {
      // Others' code takes nothing of the project along.
      const root = own.has(directory.dir) ? projectRoot(directory.dir) : realpathSync.native(directory.dir)
      const code = readModule(directory, module, root, brought, onPath)
      const file = join(directory.dir, module)
      for (const input of [file, `${file}.map`]) inputs.add(input)
      // The library's code is tested in bundles, and works without its optional imports.
      if (directory.at !== parts.library)
        unfollowed.push(...code.unfollowed.map(one => placedFault(one, directory.dir)))
      return code
    },
    { ...place, minify, sourcemap },
  )
  const faults = distinctFaults(unfollowed)
  const error = refusalOf(faults, project.cwd)
  if (error) throw error
  const files = new Map(built)
  const assets = new Map([...brought.values()].map(asset => [`${place.chunks}/${asset.name}`, asset]))
  for (const [path, { contents }] of assets) files.set(path, contents)
  files.set(place.types, Buffer.from(declareTools(shownTools(declared, libraryTypes), parts.opensWorkspace)))
  return { files, assets, declared, inputs, diagnostics: packageWarnings(faults, project.cwd) }
}

/** The files, absolute, of which a bundle has parts. */
function sourcesOf({ at, dir, files }: BundledDirectory): string[] {
  return files.map(({ path }) => join(dir, relative(at, path)))
}
