import type { OptionTable } from '../src/base/options.js'
import { declareVirtualTools, shownTools } from './4-bundle/types/declare-tools.js'
import { writeTypes } from './4-bundle/types/write-types.js'
import {
  COMPILE_OPTIONS,
  type CompileOptions,
  type CompileResult,
  compileRead,
  runBundleStage,
} from './compile.js'
import { readProject } from './pipeline/read-project.js'
import { checkProjectOptions } from './project/option-checks.js'
import type { ProjectOptions } from './project/project.js'
import type { WatchSink } from './project/stage.js'
import { typesPlace } from './project-types.js'

export type { WatchSink as Looks } from './project/stage.js'

/** The options of `compileBundle`. */
export interface CompileBundleOptions extends Omit<CompileOptions, 'bundle' | 'check' | 'host'> {
  /**
   * A file, `….d.ts`, that declares the tools' parameters and results for `virtual:agent-apps`. Relative to
   * `cwd`.
   */
  types?: string | undefined
  /** Receives every path that the result depends on. */
  looks?: WatchSink | undefined
}

/** The result of `compileBundle`. */
export interface CompileBundleResult extends Omit<CompileResult, 'bundled' | 'outdated' | 'stale'> {
  /** The files of the bundle. */
  bundle: Bundle
}

/** The files of a bundle that was not written. */
export interface Bundle {
  /** The path of the entry among `files`; it exports `runtime` and `tools`. */
  entry: string
  /** The bundle's files by their paths, `/`-separated; they import each other by relative ones. */
  files: ReadonlyMap<string, Uint8Array>
  /** The `files` that code finds as `new URL('./…', import.meta.url)`, with the place of each on this disk. */
  assets: ReadonlyMap<string, string>
}

const { check: _, bundle: __, host: ___, ...shared } = COMPILE_OPTIONS
const OPTIONS: OptionTable<Exclude<keyof CompileBundleOptions, keyof ProjectOptions>> = {
  ...shared,
  looks: 'object',
}

/** The names of a bundle's files where it is not written. */
const PLACE = {
  folder: '',
  name: 'agent-apps.mjs',
  chunks: 'agent-apps-chunks',
  types: 'agent-apps.d.mts',
}

/**
 * Compiles a project, and returns its bundle instead of writing it, as input of another bundler. Indexes are
 * written.
 *
 * @throws the errors of `compile`
 */
export async function compileBundle(options: CompileBundleOptions = {}): Promise<CompileBundleResult> {
  checkProjectOptions('compileBundle', options, OPTIONS)
  const { types, looks, ...own } = options
  const project = await readProject(own, true, looks?.path)
  const declarations = types === undefined ? undefined : typesPlace(project, types)
  const {
    made,
    outdated: _,
    stale: __,
    ...result
  } = await compileRead(project, own, looks, job =>
    runBundleStage(job, async () => {
      const { makeBundle } = await import('./4-bundle/bundle.js')
      return makeBundle(project, PLACE, own, looks?.path)
    }),
  )
  const { files, assets, declared } = made
  if (declarations !== undefined)
    await writeTypes(declarations, declareVirtualTools(shownTools(declared, own.libraryTypes === true)))
  return {
    ...result,
    bundle: {
      entry: PLACE.name,
      files,
      assets: new Map([...assets].map(([path, { file }]) => [path, file])),
    },
  }
}
