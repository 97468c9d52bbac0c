import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BuildFailure, BuildOptions, BuildResult, Metafile, Plugin } from 'esbuild'
import { INDEX_DIRECTORY } from '../../src/index-format.js'
import { looksSecret } from '../../src/secrets.js'
import { EsbuildEnded, useEsbuild } from '../esbuild.js'
import { belongsTo, projectRoot } from '../project-root.js'

/** Code to be made a module: a file, or a text that stands in a file. */
export type ModuleSource = { file: string } | { code: string; from: string }

/** Why a source gives no module. `file` is absolute, or null where the fault is not in a file. */
export interface ModuleFailure {
  message: string
  file: string | null
  line: number
  column: number
}

export interface BundledModule {
  /** The module's file, relative to the directory. */
  file: string
  /** The project's own files in it, absolute. */
  inputs: string[]
}

export interface BundledModules {
  /** By key. */
  modules: Map<string, BundledModule>
  failures: Map<string, ModuleFailure>
  /** The files to write, by path relative to the directory. */
  outputs: Map<string, Uint8Array>
}

export interface BundleOptions {
  /** Packages left to be found at run time. */
  external?: readonly string[]
  /** Where modules will lie when they are imported: beside the index, or anywhere (then nothing in them is relative). */
  placement?: 'index' | 'anywhere'
}

const INLINE = 'agent-apps-inline:'
/** Sources are given to esbuild by number: in a path it would take `*` for a pattern. */
const ENTRY = 'agent-apps-entry:'

/**
 * Bundles code into ES modules: one build with splitting, so that what several share is one chunk. A source with
 * a fault fails alone. What is imported must belong to the project or to a package installed for it.
 */
export async function bundleModules(
  directory: string,
  sources: ReadonlyMap<string, ModuleSource>,
  options: BundleOptions = {},
): Promise<BundledModules> {
  const failures = new Map<string, ModuleFailure>()
  let wanted = sources
  for (;;) {
    const outcome = wanted.size === 0 ? emptyBundle() : await bundle(directory, wanted, options)
    if (!('failed' in outcome)) return { ...outcome, failures }
    const blamed = outcome.failed.size > 0 ? outcome.failed : await blame(directory, wanted, options)
    if (blamed.size === 0) throw new Error('Code that can be bundled alone cannot be bundled together.')
    for (const [key, failure] of blamed) failures.set(key, failure)
    wanted = new Map([...wanted].filter(([key]) => !failures.has(key)))
  }
}

type Outcome = Omit<BundledModules, 'failures'> | { failed: Map<string, ModuleFailure> }

function emptyBundle(): Omit<BundledModules, 'failures'> {
  return { modules: new Map(), outputs: new Map() }
}

async function bundle(
  directory: string,
  sources: ReadonlyMap<string, ModuleSource>,
  options: BundleOptions,
): Promise<Outcome> {
  const keys = new Map([...sources].map(([key, source]) => [entryPath(key, source), key]))
  try {
    const result = await build(directory, sources, options, [])
    const mentioning = mentioningImportMeta(directory, result.metafile)
    const whole = mentioning.length > 0 ? await build(directory, sources, options, mentioning) : result
    return collect(directory, whole, keys)
  } catch (error) {
    if (error instanceof EsbuildEnded) return { failed: new Map() }
    if (!isBuildFailure(error)) throw error
    return { failed: failuresByEntry(directory, error, keys) }
  }
}

/** What a build's report calls a source: a file by its real place. */
function entryPath(key: string, source: ModuleSource): string {
  return 'file' in source ? realFile(source.file) : INLINE + key
}

/** A file that is not there keeps its path; esbuild reports it. */
function realFile(file: string): string {
  return existsSync(file) ? realpathSync.native(file) : file
}

async function build(
  directory: string,
  sources: ReadonlyMap<string, ModuleSource>,
  { external = [], placement = 'index' }: BundleOptions,
  mentioningMeta: string[],
): Promise<BuildResult<BuildOptions & { metafile: true; write: false }>> {
  const plugins = [entrySources(sources), guardedReads(directory)]
  if (placement === 'anywhere') plugins.push(hostCopies(external))
  // Before the guard, which it asks itself: the first that loads a file is the only one.
  if (mentioningMeta.length > 0) plugins.unshift(sourceUrls(directory, mentioningMeta, placement))
  const buildOptions = {
    absWorkingDir: realpathSync.native(directory),
    entryPoints: [...sources.keys()].map((_, number) => ({ in: ENTRY + number, out: 'module' })),
    entryNames: '[name]-[hash]',
    chunkNames: 'chunk-[hash]',
    outdir: INDEX_DIRECTORY,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    legalComments: 'none',
    sourcemap: placement === 'index' ? 'linked' : 'inline',
    sourcesContent: false,
    metafile: true,
    write: false,
    logLevel: 'silent',
    external: placement === 'index' ? ['agent-apps', 'agent-apps/*', '*.node', ...external] : ['*.node'],
    define: META_FIELDS,
    banner: { js: REQUIRE },
    loader: { '.md': 'text', '.txt': 'text' },
    // A tsconfig.json may extend any file, and what is wrong in that one would be told with its text.
    tsconfigRaw: {},
    plugins,
  } satisfies BuildOptions
  return useEsbuild(esbuild => esbuild.build(buildOptions))
}

/** Packages in CommonJS that use Node's own modules call `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as __agentAppsRequire } from 'node:module'; const require = __agentAppsRequire(import.meta.url);"

/** `import.meta` means the source file wherever it is bundled to, so its fields become names that each file defines. */
const META_FIELDS = {
  'import.meta.url': '__agentAppsSourceUrl',
  'import.meta.dirname': '__agentAppsSourceDirname',
  'import.meta.filename': '__agentAppsSourceFilename',
}

/** The project's own files that mention `import.meta`; each is given the names that stand for its fields. */
function mentioningImportMeta(directory: string, { inputs }: Metafile): string[] {
  return ownInputs(directory, inputs).filter(file => readFileSync(file, 'utf8').includes('import.meta'))
}

function ownInputs(directory: string, inputs: Metafile['inputs']): string[] {
  const base = realpathSync.native(directory)
  return Object.keys(inputs)
    .filter(input => !input.includes('node_modules/') && !/^<?[\w-]{2,}:/.test(input))
    .map(input => resolve(base, input))
}

/** Puts the definition of a file's own URL before its first line, on that line, so that no line moves. */
function sourceUrls(directory: string, files: string[], placement: BundleOptions['placement']): Plugin {
  const wanted = new Set(files)
  const root = projectRoot(directory)
  const modules = join(realpathSync.native(directory), INDEX_DIRECTORY, '/')
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
        const text = withoutForeignMaps(readFileSync(path, 'utf8'), path, root)
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

function loaderOf(path: string): 'js' | 'ts' | 'jsx' | 'tsx' {
  return /\.[cm]?([jt]sx?)$/.exec(path)?.[1] as 'js' | 'ts' | 'jsx' | 'tsx'
}

/**
 * Looks at every file before esbuild reads it: what lies outside the project is not even parsed, since what is
 * said of a fault in it could tell what it holds, and a pipe or a device never ends.
 */
function guardedReads(directory: string): Plugin {
  const root = projectRoot(directory)
  const base = realpathSync.native(directory)
  return {
    name: 'agent-apps-guard',
    setup({ onLoad }) {
      onLoad({ filter: /.*/, namespace: 'file' }, ({ path }) => {
        const problem = readProblem(path, root)
        if (problem !== null) {
          const shown = JSON.stringify(relative(base, path).replaceAll('\\', '/'))
          return { errors: [{ text: `imports ${shown}, ${problem}` }] }
        }
        if (!/\.[cm]?[jt]sx?$/.test(path)) return undefined
        const text = readFileSync(path, 'utf8')
        const own = withoutForeignMaps(text, path, root)
        return own === text ? undefined : { contents: own, loader: loaderOf(path) }
      })
    },
  }
}

/** Why a file is not to be read; null where it may be. Which files are imported as a package is looked at later. */
function readProblem(path: string, root: string): string | null {
  try {
    const real = realpathSync.native(path)
    if (!belongsTo(root, real) && !real.includes(`${sep}node_modules${sep}`))
      return 'which lies outside the project'
    return statSync(real).isFile() ? null : 'which is no regular file'
  } catch {
    return 'which cannot be read'
  }
}

/** The text without its links to source maps that are not to be read: esbuild follows them wherever they lead. */
function withoutForeignMaps(text: string, path: string, root: string): string {
  return text.replace(/(\/[/*][#@][ \t]*sourceMapping)URL=([^\s'"]+)/g, (link, start: string, map: string) =>
    map.startsWith('data:') || readProblem(resolve(dirname(path), map), root) === null
      ? link
      : `${start}Url=${map}`,
  )
}

/** The sources by number. What one that stands in a file imports is looked up from that file's folder. */
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

/** Where a module lies outside the project, what it leaves to the host is named by its whole URL. */
function hostCopies(external: readonly string[]): Plugin {
  const names = ['agent-apps', ...external].map(name => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return {
    name: 'agent-apps-host-copies',
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`^(?:${names.join('|')})(?:/|$)`) }, ({ path }) => ({
        path: import.meta.resolve(path),
        external: true,
      }))
    },
  }
}

/** The modules of a build, once everything in them is known to belong to the project. */
function collect(
  directory: string,
  { metafile, outputFiles }: BuildResult<BuildOptions & { metafile: true; write: false }>,
  keys: Map<string, string>,
): Outcome {
  const base = realpathSync.native(directory)
  const failed = new Map<string, ModuleFailure>()
  const modules = new Map<string, BundledModule>()
  const root = projectRoot(directory)
  const forbidden = forbiddenImports(base, root, metafile)
  for (const [file, { entryPoint }] of Object.entries(metafile.outputs)) {
    const key =
      entryPoint === undefined
        ? undefined
        : (keys.get(resolve(base, entryPoint)) ?? keys.get(entryPoint.replace(/^inline:/, INLINE)))
    if (key === undefined || entryPoint === undefined) continue
    const reached = inputsFrom(entryPoint, metafile)
    const outside = problemOf(entryPoint, base, root, false)
    const own = outside === null ? undefined : { message: outside, file: null, line: 1, column: 1 }
    const wrong = own ?? reached.map(input => forbidden.get(input)).find(failure => failure !== undefined)
    if (wrong) failed.set(key, wrong)
    else
      modules.set(key, {
        file,
        inputs: ownInputs(
          directory,
          Object.fromEntries(
            reached.map(input => [input, metafile.inputs[input] ?? { bytes: 0, imports: [] }]),
          ),
        ),
      })
  }
  if (failed.size > 0) return { failed }
  return {
    modules,
    outputs: new Map(
      outputFiles.map(({ path, contents }) => [relative(base, path).replaceAll('\\', '/'), contents]),
    ),
  }
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

/** The inputs that import what they may not: files outside the project, secrets, `data:` and remote addresses. */
function forbiddenImports(base: string, root: string, { inputs }: Metafile): Map<string, ModuleFailure> {
  const forbidden = new Map<string, ModuleFailure>()
  for (const [input, { imports }] of Object.entries(inputs)) {
    for (const { path, original = path, external } of imports) {
      const isPackage = !/^[./]/.test(original) || input.includes('node_modules/')
      const problem = external ? externalProblem(path) : problemOf(path, base, root, isPackage)
      if (problem !== null)
        forbidden.set(input, { message: problem, ...placeOf(resolve(base, input), original) })
    }
  }
  return forbidden
}

function problemOf(input: string, base: string, root: string, isPackage: boolean): string | null {
  if (input.startsWith('inline:') || input.startsWith('(disabled):')) return null
  if (/^<?data:/.test(input)) return 'imports a `data:` address'
  const real = realpathSync.native(resolve(base, input))
  // A package manager may keep packages elsewhere and link them.
  if (!belongsTo(root, real) && !(isPackage && real.includes(`${sep}node_modules${sep}`)))
    return `imports ${JSON.stringify(input)}, which lies outside the project`
  return looksSecret(real.split(/[\\/]/).at(-1) ?? '')
    ? `imports ${JSON.stringify(input)}, which looks like a secret`
    : null
}

function externalProblem(path: string): string | null {
  if (/^(?:https?|data|blob):/.test(path))
    return `imports ${JSON.stringify(path.slice(0, 80))}; code comes from the project or its packages`
  return isAbsolute(path) ? `imports the absolute path ${JSON.stringify(path)}` : null
}

/** Where an import stands in a file; its first line where it cannot be found. */
function placeOf(file: string, imported: string): { file: string; line: number; column: number } {
  const before = readFileSync(file, 'utf8').split(imported)[0] ?? ''
  const lines = before.split('\n')
  return { file, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors)
}

/** The failures that lie in entries themselves. Others are somebody's who imports the file at fault. */
function failuresByEntry(
  directory: string,
  { errors }: BuildFailure,
  keys: Map<string, string>,
): Map<string, ModuleFailure> {
  const base = realpathSync.native(directory)
  const failed = new Map<string, ModuleFailure>()
  for (const { text, location } of errors) {
    const file = location === null ? null : resolve(base, location.file)
    const key =
      file === null
        ? undefined
        : (keys.get(file) ?? keys.get(location?.file.replace(/^inline:/, INLINE) ?? ''))
    if (key === undefined || failed.has(key)) continue
    failed.set(key, { message: text, file, line: location?.line ?? 1, column: (location?.column ?? 0) + 1 })
  }
  return failed
}

/** Which of several sources cannot be bundled, found by bundling each alone. */
async function blame(
  directory: string,
  sources: ReadonlyMap<string, ModuleSource>,
  options: BundleOptions,
): Promise<Map<string, ModuleFailure>> {
  const failed = new Map<string, ModuleFailure>()
  for (const [key, source] of sources) {
    const alone = new Map([[key, source]])
    try {
      const result = await build(directory, alone, options, [])
      const outcome = collect(directory, result, new Map([[entryPath(key, source), key]]))
      if ('failed' in outcome) for (const [one, failure] of outcome.failed) failed.set(one, failure)
    } catch (error) {
      failed.set(
        key,
        isBuildFailure(error)
          ? firstFailure(directory, error)
          : { message: (error as Error).message, file: null, line: 1, column: 1 },
      )
    }
  }
  return failed
}

function firstFailure(directory: string, { errors, message }: BuildFailure): ModuleFailure {
  const [first] = errors
  const location = first?.location
  if (!first || !location) return { message: first?.text ?? message, file: null, line: 1, column: 1 }
  const file = resolve(realpathSync.native(directory), location.file)
  return { message: first.text, file, line: location.line, column: location.column + 1 }
}
