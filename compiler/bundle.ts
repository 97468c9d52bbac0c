import { realpathSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { AgentAppsError } from '../src/error.js'
import { withDirectoryLock } from './3-emit/directory-lock.js'
import { buildBundle } from './4-bundle/build-bundle.js'
import type { BundledAsset, BundledDirectory } from './4-bundle/bundle-parts.js'
import { type DeclaredTool, declareTools } from './4-bundle/declare-tools.js'
import type { UnfollowedPlace } from './4-bundle/follow-urls.js'
import {
  BUNDLE_NAME,
  type BundlePlace,
  bundlePlace,
  checkPlace,
  LIST,
  outdatedFiles,
  writeBundle,
} from './4-bundle/write-bundle.js'
import { bundleKey, isStillBundled, rememberBundle } from './bundle-cache.js'
import { readModule } from './bundled-module.js'
import { collectBundle } from './collect-bundle.js'
import type { Looks } from './job.js'
import type { Project, ProjectDirectory } from './project.js'
import { projectRoot } from './project-root.js'

export interface BundleOptions {
  /** The entry's file: `….mjs` or `….js`, relative to `cwd`. Its other files go into a folder beside it. */
  bundle?: string | undefined
  /** Names of the tools that the bundle keeps, as patterns, with what those lead to. Default: the configuration's, where `paths` is absent; else all. */
  keep?: readonly string[] | undefined
  minify?: boolean | undefined
  sourcemap?: boolean | undefined
}

/**
 * Refuses what no bundle can be written to, before anything is compiled.
 *
 * @throws OPTIONS_INVALID, BUNDLE_PLACE
 */
export function checkBundle({ cwd, directories }: Project, { bundle = '' }: BundleOptions): void {
  if (!BUNDLE_NAME.test(basename(bundle))) {
    throw new AgentAppsError(
      'OPTIONS_INVALID',
      `A bundle cannot be named ${JSON.stringify(basename(bundle))}.`,
      {
        hint: 'Give it a name of letters, digits, dots, `_` and `-` that ends in `.mjs` or `.js`.',
      },
    )
  }
  checkPlace(bundlePlace(resolve(cwd, bundle)), directories)
}

/** A bundle, ready to be written. */
interface MadeBundle {
  /** By path relative to the place's folder. */
  files: Map<string, Uint8Array>
  /** Those of them that code finds by its place, by their path. */
  assets: Map<string, BundledAsset>
  declared: DeclaredTool[]
  /** The files, absolute, that went into it and that no index of the project tells of. */
  inputs: Set<string>
}

/**
 * Writes a project that was compiled as one module with chunks, which needs no file system. Where it would be the one that lies
 * there, it is not made.
 *
 * @param options `force`: make it nevertheless
 * @returns the files written, relative to `cwd`
 * @throws BUNDLE_UNCOMPILED, BUNDLE_CODE, BUNDLE_NOT_WRITABLE, INDEX_LOCKED, OPTIONS_INVALID
 */
export async function bundle(
  project: Project,
  { force = false, ...options }: BundleOptions & { force?: boolean | undefined },
  looks?: Looks,
): Promise<string[]> {
  const place = placeOf(project, options)
  const { dir } = project.directories[0] as ProjectDirectory
  const key = keyOf(project, options)
  if (!force && isStillBundled(dir, key, looks?.path)) return []
  const looked = new Set<string>()
  const path = (one: string): void => {
    looked.add(one)
    looks?.path(one)
  }
  const { files, inputs } = await makeBundle(project, place, options, path)
  const written = await withDirectoryLock(dir, async () => {
    const changed = await writeBundle(place, files)
    const made = [...files.keys(), `${place.chunks}/${LIST}`].map(file => join(place.folder, file))
    rememberBundle(dir, key, [...inputs, ...looked, ...made], looked)
    return changed
  })
  return shownFiles(written, place, project)
}

/** The files of a bundle that bundling would write, relative to `cwd`. */
export async function outdatedBundle(project: Project, options: BundleOptions): Promise<string[]> {
  const { dir } = project.directories[0] as ProjectDirectory
  if (isStillBundled(dir, keyOf(project, options))) return []
  const place = placeOf(project, options)
  const { files } = await makeBundle(project, place, options)
  return shownFiles(outdatedFiles(place, files), place, project)
}

/** Of the options those that a bundle depends on. */
function keyOf(
  project: Project,
  { bundle: file, keep = project.keep, minify = false, sourcemap = false }: BundleOptions,
): string {
  return bundleKey(project, { file, keep, minify, sourcemap })
}

function placeOf({ cwd }: Project, { bundle: file = '' }: BundleOptions): BundlePlace {
  return bundlePlace(resolve(cwd, file))
}

function shownFiles(files: readonly string[], { folder }: BundlePlace, { cwd }: Project): string[] {
  return files.map(file => relative(cwd, join(folder, file)).replaceAll('\\', '/'))
}

/**
 * The files of a project's bundle, which is made of its indexes and nothing else.
 *
 * @throws BUNDLE_UNCOMPILED, BUNDLE_CODE, OPTIONS_INVALID
 */
export async function makeBundle(
  project: Project,
  place: BundlePlace,
  { keep = project.keep, minify = false, sourcemap = false }: Omit<BundleOptions, 'bundle'>,
  onPath?: (path: string) => void,
): Promise<MadeBundle> {
  const { parts, declared } = collectBundle(project, keep)
  const own = new Set(project.directories.map(({ dir }) => dir))
  const brought = new Map<string, BundledAsset>()
  const unfollowed: Place[] = []
  const inputs = new Set(parts.directories.filter(({ dir }) => !own.has(dir)).flatMap(sourcesOf))
  const built = await buildBundle(
    parts,
    (directory, module) => {
      // Others' code takes nothing of the project along.
      const root = own.has(directory.dir) ? projectRoot(directory.dir) : realpathSync.native(directory.dir)
      const code = readModule(directory, module, root, brought, onPath)
      const file = join(directory.dir, module)
      for (const input of [file, `${file}.map`]) inputs.add(input)
      unfollowed.push(...code.unfollowed.map(one => placeIn(directory, one)))
      return code
    },
    { ...place, minify, sourcemap },
  )
  const [first] = unfollowed
  if (first) throw notFollowed(first, [...new Set(unfollowed.map(one => shownPlace(one, project.cwd)))])
  const files = new Map(built)
  const assets = new Map([...brought.values()].map(asset => [`${place.chunks}/${asset.name}`, asset]))
  for (const [path, { contents }] of assets) files.set(path, contents)
  files.set(place.types, Buffer.from(declareTools(declared)))
  return { files, assets, declared, inputs }
}

/** The files, absolute, of which a bundle has parts. */
function sourcesOf({ at, dir, files }: BundledDirectory): string[] {
  return files.map(({ path }) => join(dir, relative(at, path)))
}

interface Place {
  /** Absolute. */
  file: string
  line: number
  column: number
}

function placeIn({ dir }: BundledDirectory, { source, line, column }: UnfollowedPlace): Place {
  return { file: source === '' ? dir : join(dir, '.agent-apps', source), line, column }
}

function shownPlace({ file, line, column }: Place, cwd: string): string {
  return `${relative(cwd, file).replaceAll('\\', '/')}:${line}:${column}`
}

/** Places that an error names. */
const PLACES_SHOWN = 8

function notFollowed({ file, line, column }: Place, places: readonly string[]): AgentAppsError {
  const more = places.length > PLACES_SHOWN ? ` and ${places.length - PLACES_SHOWN} more` : ''
  return new AgentAppsError(
    'BUNDLE_CODE',
    `Code depends on where its file lies, which a bundle cannot follow: ${places.slice(0, PLACES_SHOWN).join(', ')}${more}.`,
    {
      hint: "Name a file that is there and can be read as `new URL('./file', import.meta.url)`, import it as text, or make it a resource of the skill.",
      file,
      position: { line, column },
    },
  )
}
