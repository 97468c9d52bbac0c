import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join, posix } from 'node:path'
import type { BuildFailure, BuildOptions, OnLoadResult, OnResolveResult, Plugin } from 'esbuild'
import { shardOf } from '../../../src/index/index-format.js'
import { useEsbuild } from '../../esbuild/esbuild.js'
import { REQUIRE_BANNER } from '../../esbuild/module-source.js'
import { BUILT_DIRECTORY } from '../../files/package-place.js'
import { type BundledDirectory, type BundleParts, MARK } from '../parts/bundle-parts.js'
import { type EntryChunks, entryText, partsText, shardText, tableText } from '../parts/bundle-texts.js'

interface BuildBundleOptions {
  /** The entry's file name. */
  name: string
  /** The folder beside it that all other files go to. */
  chunks: string
  minify: boolean
  sourcemap: boolean
}

/** The code of a compiled module with its source map, ready for bundling. */
export type ReadModule = (directory: BundledDirectory, file: string) => { text: string; map: string | null }

const OWN_ENTRIES = new Map([
  ['agent-apps', 'runtime/agent-apps.js'],
  ['agent-apps/runtime', 'runtime/index.js'],
  ['agent-apps/workspace', 'workspace/index.js'],
  ['agent-apps/bundle-disk', 'runtime/bundle-disk.js'],
  ['agent-apps/bundled-tools', 'runtime/bundled-tools.js'],
  // Agents use the AI SDK, which stays an import: a host with models has it installed.
  ['agent-apps/ai-sdk', 'adapters/ai-sdk.js'],
  ['#disk', 'runtime/bundle-disk.js'],
])

/**
 * Makes the modules of a bundle: its entry, and chunks that are loaded on demand. The runtime and the code of
 * skills share one copy of the package. The output does not depend on where files are on this machine.
 *
 * @returns the files, by path relative to the entry's folder
 */
export async function buildBundle(
  parts: BundleParts,
  readModule: ReadModule,
  { name, chunks, minify, sourcemap }: BuildBundleOptions,
): Promise<Map<string, Uint8Array>> {
  const ending = /\.m?js$/.exec(name)?.[0] ?? ''
  const { files, ...entryChunks } = ownChunks(parts, chunks, ending)
  const options = {
    absWorkingDir: BUILT_DIRECTORY,
    entryPoints: [{ in: 'agent-apps-bundle', out: name.slice(0, -ending.length) }],
    outdir: 'bundle',
    entryNames: '[name]',
    chunkNames: `${chunks}/[name]-[hash]`,
    outExtension: { '.js': ending },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    minify,
    sourcemap,
    sourcesContent: false,
    banner: { js: MARK },
    write: false,
    logLevel: 'silent',
    plugins: [bundledFiles(parts, entryChunks, readModule, sourcemap)],
  } satisfies BuildOptions
  const { outputFiles } = await useEsbuild(esbuild => esbuild.build(options)).catch(rethrow)
  const outdir = join(BUILT_DIRECTORY, 'bundle')
  return new Map([
    ...[...files].map(([file, text]) => [`${chunks}/${file}`, Buffer.from(text)] as const),
    ...outputFiles.map(
      ({ path, contents: bytes }) => [path.slice(outdir.length + 1).replaceAll('\\', '/'), bytes] as const,
    ),
  ])
}

/** Rethrows the original error if a file could not be passed to esbuild. */
function rethrow(error: unknown): never {
  throw (error as Partial<BuildFailure>).errors?.[0]?.detail ?? error
}

/** Files that one table leads to, about: few enough that little is written where one of them changes. */
const TABLE_FILES = 256

/**
 * Chunks of contents, tables that lead to them, and shards of indexes. They need none of the others, so that esbuild, which compares every
 * chunk with every other, need not see them.
 *
 * @param folder the folder that the entry imports them from
 * @returns them by name, and those that the entry leads to
 */
function ownChunks(
  { directories }: BundleParts,
  folder: string,
  ending: string,
): EntryChunks & { files: Map<string, string> } {
  const files = new Map<string, string>()
  const add = (kind: string, made: string): string => {
    const text = `${MARK}\n${made}`
    const file = `${kind}-${hash('sha256', text).slice(0, 16).toUpperCase()}${ending}`
    files.set(file, text)
    return file
  }
  const sources = directories.flatMap(directory => directory.files).filter(({ parts }) => parts.length > 0)
  const entries = sources.map(source => ({
    path: source.path,
    file: `./${add('content', partsText(source))}`,
  }))
  const count = Math.ceil(entries.length / TABLE_FILES)
  const tables = Array.from({ length: count }, (): typeof entries => [])
  for (const entry of entries) tables[shardOf(entry.path, count)]?.push(entry)
  const fromEntry = (file: string): string => `./${folder}/${file}`
  const shards = directories.flatMap(directory => directory.shards)
  return {
    files,
    tables: tables.map(own => fromEntry(add('table', tableText(own)))),
    shards: new Map(shards.map(shard => [shard.path, fromEntry(add('index', shardText(shard)))])),
  }
}

/** Passes every file to esbuild under a name that is the same on each machine. Other imports stay imports. */
function bundledFiles(
  parts: BundleParts,
  chunks: EntryChunks,
  readModule: ReadModule,
  sourcemap: boolean,
): Plugin {
  const directories = new Map(parts.directories.map(directory => [keyOf(directory.at), directory]))
  const texts: Record<string, (path: string) => string> = {
    // A chunk imports others by their digest, so a chunk depends on its contents alone.
    entry: () => entryText(parts, chunks, moduleOf),
    package: path => readFileSync(join(BUILT_DIRECTORY, path), 'utf8'),
    module(path) {
      const { text, map } = readModule(directories.get(posix.dirname(path)) as BundledDirectory, fileOf(path))
      const own = text.replace(REQUIRE_BANNER, PURE_BANNER).replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n')
      const inline = map && Buffer.from(map).toString('base64')
      return sourcemap && inline ? `${own}//# sourceMappingURL=data:application/json;base64,${inline}\n` : own
    },
  }
  return {
    name: 'agent-apps-bundle',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, namespace, importer, kind }): OnResolveResult => {
        if (kind === 'entry-point') return { path: 'entry', namespace: 'entry' }
        const own = OWN_ENTRIES.get(path)
        if (own) return { path: own, namespace: 'package', sideEffects: false }
        if (path.startsWith(MODULE)) return { path: path.slice(MODULE.length), namespace: 'module' }
        if (path.startsWith('.') && (namespace === 'package' || namespace === 'module'))
          return {
            path: posix.join(posix.dirname(importer), path),
            namespace,
            sideEffects: namespace === 'module',
          }
        // Some hosts know Node's modules by their whole names alone.
        return isBuiltin(path)
          ? { path: path.startsWith('node:') ? path : `node:${path}`, external: true, sideEffects: false }
          : { path, external: true }
      })
      for (const [namespace, textOf] of Object.entries(texts))
        onLoad(
          { filter: /.*/, namespace },
          ({ path }): OnLoadResult => ({ contents: textOf(path), loader: 'js' }),
        )
    },
  }
}

/** The key for a path in an import: a path may contain characters that end a comment. */
function keyOf(path: string): string {
  return hash('sha256', path).slice(0, 16)
}

const MODULE = 'agent-apps-module:'

const moduleOf = ({ at }: BundledDirectory, file: string): string => `${MODULE}${keyOf(at)}/${basename(file)}`

/** A module's path in its directory. */
const fileOf = (path: string): string => `.agent-apps/${posix.basename(path)}`

/** The banner as a definition that is left out where nothing uses it: not every host has `node:module`. */
const PURE_BANNER = REQUIRE_BANNER.replace(/(__agentAppsRequire\(.*\));$/, '/* @__PURE__ */ (() => $1)();')
