import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BuildFailure, BuildOptions, BuildResult, Message, Metafile, Plugin } from 'esbuild'
import { addToGroup } from '../../src/base/add-to-group.js'
import { INDEX_DIRECTORY } from '../../src/index/index-format.js'
import { EsbuildEnded, useEsbuild } from './esbuild.js'
import { forbiddenImports, guardedReads, inputProblem, mentionsOwnPlace } from './import-guard.js'
import {
  type BundledProject,
  MODULE_MARK,
  type ModuleFailure,
  type ModuleSource,
  type Placement,
  REQUIRE_BANNER,
} from './module-source.js'
import { projectRoot } from './project-root.js'
import { OWN_PLACES, relativeUrl } from './source-place.js'

export interface BundledModule {
  /** The module's file, relative to the directory. */
  file: string
  /** The project's own files in it, absolute. */
  inputs: string[]
}

interface BundledModules {
  modules: Map<string, BundledModule>
  /** Keyed like the sources, one or more for each source without a module. */
  failures: Map<string, ModuleFailure[]>
  /** The files to write, by path relative to the directory. */
  outputs: Map<string, Uint8Array>
}

export interface BundleOptions {
  /** Packages left to be found at run time. */
  external?: readonly string[]
  placement?: Placement
}

const INLINE = 'agent-apps-inline:'
/** Sources are passed to esbuild by number: it would read `*` in a path as a pattern. */
const ENTRY = 'agent-apps-entry:'

/**
 * Bundles code into ES modules: one build with splitting, so that shared code is one chunk. A source with
 * a fault fails alone. Imports must belong to the project or to a package installed for it.
 */
export async function bundleModules(
  directory: string,
  sources: ReadonlyMap<string, ModuleSource>,
  options: BundleOptions = {},
): Promise<BundledModules> {
  const place = { directory: realpathSync.native(directory), root: projectRoot(directory) }
  const failures = new Map<string, ModuleFailure[]>()
  let wanted = sources
  for (;;) {
    const outcome =
      wanted.size === 0 ? { modules: new Map(), outputs: new Map() } : await bundle(place, wanted, options)
    if (!('failed' in outcome)) return { ...outcome, failures }
    const blamed = outcome.failed.size > 0 ? outcome.failed : await blame(place, wanted, options)
    if (blamed.size === 0) throw new Error('Code that can be bundled alone cannot be bundled together.')
    for (const [key, failure] of blamed) failures.set(key, failure)
    wanted = new Map([...wanted].filter(([key]) => !failures.has(key)))
  }
}

type Outcome = Omit<BundledModules, 'failures'> | { failed: Map<string, ModuleFailure[]> }

async function bundle(
  place: BundledProject,
  sources: ReadonlyMap<string, ModuleSource>,
  options: BundleOptions,
): Promise<Outcome> {
  const keys = new Map([...sources].map(([key, source]) => [entryPath(key, source), key]))
  try {
    const result = await build(place, sources, options, new Map())
    const mentioning = mentioningPlace(place, result.metafile)
    const whole = mentioning.size > 0 ? await build(place, sources, options, mentioning) : result
    return collect(place, whole, keys)
  } catch (error) {
    if (error instanceof EsbuildEnded) return { failed: new Map() }
    if (!isBuildFailure(error)) throw error
    const failed = failuresByEntry(place, error, keys)
    const attributed = [...failed.values()].flat().length
    if (failed.size === 0 || attributed === error.errors.length) return { failed }
    // An entry's imports may have faults as well, and only a build of that entry alone shows whose they are.
    const alone = new Map([...sources].filter(([key]) => failed.has(key)))
    return { failed: new Map([...failed, ...(await blame(place, alone, options))]) }
  }
}

/** The name of a source in a build's report: a file has its real path. */
function entryPath(key: string, source: ModuleSource): string {
  return 'file' in source ? realFile(source.file) : INLINE + key
}

/** A file that is not there keeps its path; esbuild reports it. */
function realFile(file: string): string {
  return existsSync(file) ? realpathSync.native(file) : file
}

async function build(
  place: BundledProject,
  sources: ReadonlyMap<string, ModuleSource>,
  { external = [], placement = 'index' }: BundleOptions,
  mentioning: ReadonlyMap<string, boolean>,
): Promise<BuildResult<BuildOptions & { metafile: true; write: false }>> {
  const modules = join(place.directory, INDEX_DIRECTORY, '/')
  const urlOf = (file: string): string =>
    placement === 'index'
      ? relativeUrl(relative(modules, file).replaceAll('\\', '/'))
      : pathToFileURL(file).href
  const plugins = [entrySources(sources), guardedReads(place, mentioning, urlOf)]
  if (placement !== 'index') plugins.push(hostCopies(external, placement))
  const buildOptions = {
    absWorkingDir: place.directory,
    entryPoints: [...sources.keys()].map((_, number) => ({ in: ENTRY + number, out: 'module' })),
    entryNames: '[name]-[hash]',
    chunkNames: 'chunk-[hash]',
    outdir: placement === 'index' ? INDEX_DIRECTORY : '.',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: placement !== 'url',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    legalComments: 'none',
    sourcemap: placement === 'index' ? 'linked' : 'inline',
    sourcesContent: false,
    // A module that will lie anywhere names its sources from the directory.
    ...(placement !== 'index' && { sourceRoot: `${pathToFileURL(place.directory).href}/` }),
    metafile: true,
    write: false,
    logLevel: 'silent',
    external: placement === 'index' ? ['agent-apps', 'agent-apps/*', '*.node', ...external] : ['*.node'],
    define: OWN_PLACES,
    banner: { js: bannerOf(sources, placement) },
    loader: { '.md': 'text', '.txt': 'text' },
    // A tsconfig.json may extend any file, and esbuild's message about a fault in that one would quote its text.
    tsconfigRaw: {},
    plugins,
  } satisfies BuildOptions
  return useEsbuild(esbuild => esbuild.build(buildOptions))
}

/** The first lines of a module. For code written inside a file, `require` starts from that file. */
function bannerOf(sources: ReadonlyMap<string, ModuleSource>, placement: Placement): string {
  if (placement === 'index') return `${MODULE_MARK}\n${REQUIRE_BANNER}`
  if (placement === 'anywhere') return REQUIRE_BANNER
  const [source] = sources.values()
  const url = source && 'code' in source ? pathToFileURL(source.from).href : ''
  return REQUIRE_BANNER.replace('import.meta.url', () => JSON.stringify(url))
}

/**
 * The files, including files of packages, that use their own location, and whether each may be an ES module.
 */
function mentioningPlace({ directory }: BundledProject, { inputs }: Metafile): Map<string, boolean> {
  const files = Object.entries(inputs)
    .filter(([input]) => isFile(input))
    .map(([input, { format }]) => [resolve(directory, input), format !== 'cjs'] as const)
  return new Map(files.filter(([file]) => mentionsOwnPlace(file)))
}

function ownInputs({ directory }: BundledProject, inputs: readonly string[]): string[] {
  return inputs
    .filter(input => !input.includes('node_modules/') && isFile(input))
    .map(input => resolve(directory, input))
}

/** False for an input that is not a file and has a name of esbuild's own: `inline:…`, `(disabled):…`, `<data:…>`. */
function isFile(input: string): boolean {
  return !/^[<(]?[\w-]{2,}\)?:/.test(input)
}

/** The sources by number. Code written inside a file resolves imports from that file's folder. */
function entrySources(sources: ReadonlyMap<string, ModuleSource>): Plugin {
  const numbered = [...sources]
  return {
    name: 'agent-apps-entries',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${ENTRY}\\d+$`) }, ({ path, kind }) => {
        const [key, source] = numbered[Number(path.slice(ENTRY.length))] ?? []
        if (key === undefined || source === undefined || kind !== 'entry-point') return undefined
        return 'file' in source ? { path: realFile(source.file) } : { path: key, namespace: 'inline' }
      })
      onLoad({ filter: /.*/, namespace: 'inline' }, ({ path }) => {
        const source = sources.get(path)
        return source && 'code' in source
          ? { contents: source.code, loader: 'js', resolveDir: dirname(source.from) }
          : undefined
      })
    },
  }
}

/**
 * Names host packages by their whole URL in a module outside the project. Node resolves nothing else from a
 * `data:` URL, so an unresolved import is an error there.
 */
function hostCopies(external: readonly string[], placement: Placement): Plugin {
  const names = external.map(name => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return {
    name: 'agent-apps-host-copies',
    setup({ onResolve, resolve: find }) {
      onResolve({ filter: /^agent-apps(?:\/|$)/ }, ({ path }) => ({
        path: import.meta.resolve(path),
        external: true,
      }))
      if (placement === 'url')
        onResolve({ filter: /\.node$/ }, ({ path, kind }) =>
          kind === 'import-statement'
            ? { errors: [{ text: `imports ${JSON.stringify(path)}, which only \`require\` can load` }] }
            : undefined,
        )
      if (names.length === 0) return
      onResolve({ filter: new RegExp(`^(?:${names.join('|')})(?:/|$)`) }, async asked => {
        if (asked.pluginData === hostCopies) return undefined
        const { kind, importer, resolveDir } = asked
        const found = await find(asked.path, { kind, importer, resolveDir, pluginData: hostCopies })
        // A package that is missing here may exist where the code runs, and only the import shows that.
        const isThere = found.errors.length === 0
        if (!isThere && placement === 'url' && kind === 'import-statement') return { errors: found.errors }
        return { path: isThere ? pathToFileURL(found.path).href : asked.path, external: true }
      })
    },
  }
}

/** The modules of a build, once everything in them is known to belong to the project. */
function collect(
  place: BundledProject,
  { metafile, outputFiles }: BuildResult<BuildOptions & { metafile: true; write: false }>,
  keys: Map<string, string>,
): Outcome {
  const { directory } = place
  const failed = new Map<string, ModuleFailure[]>()
  const modules = new Map<string, BundledModule>()
  const forbidden = forbiddenImports(place, metafile)
  for (const [file, { entryPoint }] of Object.entries(metafile.outputs)) {
    const key = entryPoint === undefined ? undefined : keyOf(entryPoint, place, keys)
    if (key === undefined || entryPoint === undefined) continue
    const reached = inputsFrom(entryPoint, metafile)
    const outside = inputProblem(entryPoint, place, false)
    const wrong =
      outside === null ? reached.flatMap(input => forbidden.get(input) ?? []) : [placeless(outside)]
    if (wrong.length > 0) failed.set(key, wrong)
    else modules.set(key, { file, inputs: ownInputs(place, reached) })
  }
  if (failed.size > 0) return { failed }
  return {
    modules,
    outputs: new Map(
      outputFiles.map(({ path, contents }) => [relative(directory, path).replaceAll('\\', '/'), contents]),
    ),
  }
}

/** The key of the source that a build calls by this name. */
function keyOf(
  input: string,
  { directory }: BundledProject,
  keys: ReadonlyMap<string, string>,
): string | undefined {
  return keys.get(resolve(directory, input)) ?? keys.get(input.replace(/^inline:/, INLINE))
}

/** Everything that a build's entry takes in. */
function inputsFrom(entry: string, { inputs }: Metafile): string[] {
  const reached = new Set<string>()
  const open = [entry]
  for (let input = open.pop(); input !== undefined; input = open.pop()) {
    if (reached.has(input)) continue
    reached.add(input)
    open.push(...(inputs[input]?.imports ?? []).filter(({ external }) => !external).map(({ path }) => path))
  }
  return [...reached]
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors)
}

/** The failures in entries themselves. Others belong to the importers of the file at fault. */
function failuresByEntry(
  place: BundledProject,
  { errors }: BuildFailure,
  keys: Map<string, string>,
): Map<string, ModuleFailure[]> {
  const failed = new Map<string, ModuleFailure[]>()
  for (const error of errors) {
    const key = error.location === null ? undefined : keyOf(error.location.file, place, keys)
    if (key !== undefined) addToGroup(failed, key, failureOf(place, error))
  }
  return failed
}

/** The sources that cannot be bundled, found by bundling each alone. */
async function blame(
  place: BundledProject,
  sources: ReadonlyMap<string, ModuleSource>,
  options: BundleOptions,
): Promise<Map<string, ModuleFailure[]>> {
  const failed = new Map<string, ModuleFailure[]>()
  for (const [key, source] of sources) {
    const alone = new Map([[key, source]])
    try {
      const result = await build(place, alone, options, new Map())
      const outcome = collect(place, result, new Map([[entryPath(key, source), key]]))
      if ('failed' in outcome) for (const [one, failures] of outcome.failed) failed.set(one, failures)
    } catch (error) {
      const { errors = [], message } = error as Partial<BuildFailure> & Error
      const failures = errors.map(one => failureOf(place, one))
      // Its own faults, then those of its imports.
      const isOfEntry = ({ file }: ModuleFailure): boolean => file === entryPath(key, source)
      failures.sort((a, b) => Number(isOfEntry(b)) - Number(isOfEntry(a)))
      failed.set(key, failures.length === 0 ? [placeless(message)] : failures)
    }
  }
  return failed
}

function failureOf({ directory }: BundledProject, { text, location }: Message): ModuleFailure {
  if (location === null) return placeless(text)
  const file = resolve(directory, location.file)
  return { message: text, file, line: location.line, column: location.column + 1 }
}

function placeless(message: string): ModuleFailure {
  return { message, file: null, line: 1, column: 1 }
}
