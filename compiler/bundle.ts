import { hash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, extname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { AgentAppsError } from '../src/error.js'
import { type CascadeRecord, cascadeKeyText, isBroken, type ToolRecord } from '../src/index-format.js'
import { isJsonObject, type JsonObject } from '../src/json.js'
import { mapPaths } from '../src/path-entry.js'
import { looksSecret } from '../src/secrets.js'
import { withDirectoryLock } from './3-emit/directory-lock.js'
import { buildBundle } from './4-bundle/build-bundle.js'
import type { BundledAsset, BundledDirectory, BundleParts } from './4-bundle/bundle-parts.js'
import { type DeclaredTool, declareTools } from './4-bundle/declare-tools.js'
import { followUrls, type UnfollowedPlace } from './4-bundle/follow-urls.js'
import { virtualPaths } from './4-bundle/virtual-paths.js'
import {
  BUNDLE_NAME,
  type BundlePlace,
  bundlePlace,
  checkPlace,
  outdatedFiles,
  writeBundle,
} from './4-bundle/write-bundle.js'
import {
  bundledDirectory,
  cascadesOf,
  type IndexedDirectory,
  readIndexed,
  realInside,
} from './bundle-directory.js'
import { keptTools } from './kept-tools.js'
import type { Project, ProjectDirectory } from './project.js'
import { belongsTo, projectRoot } from './project-root.js'

export interface BundleOptions {
  /** The entry's file: `….mjs` or `….js`, relative to `cwd`. Its other files go into a folder beside it. */
  bundle?: string | undefined
  /** Names of the tools that the bundle keeps, as patterns, with what those need. Default: all. */
  keep?: readonly string[] | undefined
  minify?: boolean | undefined
  sourcemap?: boolean | undefined
}

/** Where the package's own skills lie in a bundle. */
const LIBRARY_PLACE = '/node_modules/agent-apps/skills'

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
  place: BundlePlace
  /** By path relative to the place's folder. */
  files: Map<string, Uint8Array>
}

/**
 * Writes a project that was compiled as one module with chunks, which needs no file system.
 *
 * @returns the files written, relative to `cwd`
 * @throws BUNDLE_UNCOMPILED, BUNDLE_CODE, BUNDLE_NOT_WRITABLE, INDEX_LOCKED, OPTIONS_INVALID
 */
export async function bundle(project: Project, options: BundleOptions): Promise<string[]> {
  const { place, files } = await makeBundle(project, options)
  const { dir } = project.directories[0] as ProjectDirectory
  const written = await withDirectoryLock(dir, () => writeBundle(place, files))
  return shownFiles(written, place, project)
}

/** The files of a bundle that bundling would write, relative to `cwd`. */
export async function outdatedBundle(project: Project, options: BundleOptions): Promise<string[]> {
  const { place, files } = await makeBundle(project, options)
  return shownFiles(outdatedFiles(place, files), place, project)
}

function shownFiles(files: readonly string[], { folder }: BundlePlace, { cwd }: Project): string[] {
  return files.map(file => relative(cwd, join(folder, file)).replaceAll('\\', '/'))
}

async function makeBundle(
  project: Project,
  { bundle: file = '', keep, minify = false, sourcemap = false }: BundleOptions,
): Promise<MadeBundle> {
  const place = bundlePlace(resolve(project.cwd, file))
  const { parts, declared } = collect(project, keep)
  const own = new Set(project.directories.map(({ dir }) => dir))
  const assets = new Map<string, BundledAsset>()
  const unfollowed: string[] = []
  const built = await buildBundle(
    parts,
    (directory, module) => {
      // Others' code takes nothing of the project along.
      const root = own.has(directory.dir) ? projectRoot(directory.dir) : realpathSync.native(directory.dir)
      const code = readModule(directory, module, root, assets)
      unfollowed.push(...code.unfollowed.map(one => shownPlace(one, directory, project.cwd)))
      return code
    },
    { ...place, minify, sourcemap },
  )
  if (unfollowed.length > 0) throw notFollowed([...new Set(unfollowed)])
  const files = new Map(built)
  for (const { name, contents } of assets.values()) files.set(`${place.chunks}/${name}`, contents)
  files.set(place.types, Buffer.from(declareTools(declared)))
  return { place, files }
}

/** What a project's bundle consists of, from its indexes. */
function collect(
  { cwd, paths, searched, library, env }: Project,
  keep: readonly string[] | undefined,
): { parts: BundleParts; declared: DeclaredTool[] } {
  const places = virtualPaths(cwd, searched)
  const own = ({ external, layer }: Project['searched'][number]) => !external && layer === 'project'
  // One that is not there has no skills, as for a runtime.
  const there = searched.filter(
    ({ dir }, number) => existsSync(dir) && searched.findIndex(one => one.dir === dir) === number,
  )
  const all = there.map(directory => ({ ...readIndexed(directory), isOwn: own(directory) }))
  const indexed = keptTools(all, keep)
  const shipped = library === null ? null : readIndexed({ dir: library, ignore: [] })
  const directories = indexed.map(one => bundledDirectory(one, places.placeOf(one.dir)))
  if (shipped) directories.push(bundledDirectory(shipped, LIBRARY_PLACE))
  addCascadeKeys(directories, indexed, shipped)
  const declared = declaredTools(indexed, shipped)
  return {
    declared,
    parts: {
      cwd: places.cwd,
      paths: mapPaths(paths, (dir, _external, entry) => [
        typeof entry === 'string' ? places.placeOf(dir) : { ...entry, dir: places.placeOf(dir) },
      ]),
      library: shipped && LIBRARY_PLACE,
      env,
      names: declared.map(({ name }) => name),
      directories,
    },
  }
}

/** What the cascades of each directory depend on: the project's on all of its own, others' on themselves, the library's on nothing else. */
function addCascadeKeys(
  directories: readonly BundledDirectory[],
  indexed: readonly (IndexedDirectory & { isOwn: boolean })[],
  library: IndexedDirectory | null,
): void {
  const below = library?.header.cascadeInput ?? null
  const own = indexed.filter(({ isOwn }) => isOwn).map(({ header }) => header.cascadeInput)
  const texts = [
    cascadeKeyText(own, below),
    ...indexed
      .filter(({ isOwn }) => !isOwn)
      .map(({ header }) => cascadeKeyText([header.cascadeInput], below)),
    cascadeKeyText([], below),
  ]
  directories[0]?.digests.push(...texts.map((text): [string, string] => [text, hash('sha256', text)]))
}

/** The tools that a bundle exports, the first of each name; of the library those that are called by name. */
function declaredTools(
  indexed: readonly IndexedDirectory[],
  library: IndexedDirectory | null,
): DeclaredTool[] {
  const declared = new Map<string, DeclaredTool | null>()
  for (const directory of library ? [...indexed, library] : indexed) {
    const cascades = cascadesOf(directory)
    for (const [name, record] of directory.tools) {
      if (declared.has(name)) continue
      const { role, visibility } = isBroken(record) ? {} : record.frontmatter
      const isCalled = directory !== library || (role === undefined && visibility !== 'hidden')
      // A broken tool keeps its name from later directories, and is none.
      if (isBroken(record)) declared.set(name, null)
      else if (isCalled) declared.set(name, declaredTool(name, record, cascades.get(name)))
    }
  }
  return [...declared.values()].filter(tool => tool !== null)
}

function declaredTool(
  name: string,
  { kind, frontmatter }: ToolRecord,
  cascade: CascadeRecord | undefined,
): DeclaredTool {
  const { description, role, metadata } = frontmatter
  const params: unknown = frontmatter.params ?? cascade?.metadata?.params
  const returns: unknown = frontmatter.returns ?? cascade?.metadata?.returns
  const isDelegated = metadata.delegate !== undefined || cascade?.body !== undefined
  const isAlone = !cascade || (cascade.chain.length === 0 && !cascade.open)
  return {
    name,
    description,
    params: isKnown(params)
      ? params
      : params === undefined && !isDelegated && role !== 'middleware'
        ? 'none'
        : undefined,
    returns: isKnown(returns)
      ? returns
      : returns === undefined && !isDelegated && kind !== 'code' && isAlone
        ? 'text'
        : undefined,
  }
}

/** False for a schema that is known only when the tool runs. */
function isKnown(schema: unknown): schema is JsonObject {
  return isJsonObject(schema) && !('$resolve' in schema)
}

const MODULE = /^\.agent-apps\/(?:module|chunk)-[0-9A-Z]{8}\.mjs$/

/** A compiled module of a directory, with the files that it finds by its own place brought along. */
function readModule(
  directory: BundledDirectory,
  file: string,
  root: string,
  assets: Map<string, BundledAsset>,
) {
  const { dir } = directory
  const path = MODULE.test(file) ? realInside(dir, join(dir, file)) : null
  if (path === null) {
    throw new AgentAppsError('BUNDLE_UNCOMPILED', `The module ${join(dir, file)} is not there.`, {
      hint: 'Compile the directory again.',
      file: join(dir, file),
    })
  }
  const map = realInside(dir, `${path}.map`)
  const mapText = map && readFileSync(map, 'utf8')
  const followed = followUrls(readFileSync(path, 'utf8'), mapText, (source, url) =>
    bring(new URL(source, pathToFileURL(path)), url, root, assets),
  )
  return { ...followed, map: mapText && withPlaces(mapText, directory) }
}

/** The URL of a file that is brought along; null for one that is not there, or not the project's. */
function bring(source: URL, url: string, root: string, assets: Map<string, BundledAsset>): string | null {
  const target = /^[a-z]+:/i.test(url) ? null : new URL(url, source)
  if (target === null || !existsSync(target) || target.href.endsWith('/')) return null
  const real = realpathSync.native(fileURLToPath(target))
  if (!belongsTo(root, real) || looksSecret(basename(real))) return null
  const contents = readFileSync(real)
  const digest = hash('sha256', contents).slice(0, 8).toUpperCase()
  const ending = /^\.\w{1,10}$/.exec(extname(real))?.[0] ?? '.bin'
  const name = `asset-${digest}${ending}`
  assets.set(name, { name, contents })
  return `./${name}`
}

/** A source map whose sources are named by where they lie in the bundle. */
function withPlaces(map: string, { at }: BundledDirectory): string {
  const { sources, ...rest } = JSON.parse(map) as { sources: string[] }
  const base = new URL(`bundle://${encodeURI(at === '/' ? '' : at)}/.agent-apps/`)
  return JSON.stringify({ ...rest, sources: sources.map(source => new URL(source, base).href) })
}

function shownPlace(
  { source, line, column }: UnfollowedPlace,
  { dir }: BundledDirectory,
  cwd: string,
): string {
  const file = source === '' ? dir : join(dir, '.agent-apps', source)
  return `${relative(cwd, file).replaceAll('\\', '/')}:${line}:${column}`
}

/** Places that an error names. */
const PLACES_SHOWN = 8

function notFollowed(places: readonly string[]): AgentAppsError {
  const more = places.length > PLACES_SHOWN ? ` and ${places.length - PLACES_SHOWN} more` : ''
  return new AgentAppsError(
    'BUNDLE_CODE',
    `Code depends on where its file lies, which a bundle cannot follow: ${places.slice(0, PLACES_SHOWN).join(', ')}${more}.`,
    {
      hint: "Name a file that is there as `new URL('./file', import.meta.url)`, import it as text, or make it a resource of the skill.",
    },
  )
}
