import type { Diagnostic } from '../src/diagnostic.js'
import type { ToolDetails } from '../src/index-format.js'
import { isJsonObject } from '../src/json.js'
import { checkOptions, FRESHNESS, PACKAGES, PATHS } from '../src/options.js'
import type { PathEntry } from '../src/path-entry.js'
import { findTool } from './find-tool.js'
import { createGlobals, type Freshness, type Globals, type Stats } from './globals.js'
import { invoke, requireTool } from './invoke.js'
import { listTools } from './list-tools.js'
import { readDetails, readResource } from './read-resource.js'
import type { ToolDef } from './tool-def.js'

export interface RuntimeOptions {
  /** Where skills lie, searched left to right. */
  paths: PathEntry[]
  /** What relative paths start from. Default: the process's working directory. */
  cwd?: string
  /** Default: `trust` where NODE_ENV is `production`, else `check`. */
  freshness?: Freshness
  /** Whether the skills that the package ships are searched after all others. Default: true. */
  library?: boolean
  /** Packages that code which was not compiled finds at run time, instead of having them bundled: the configuration's. */
  external?: readonly string[]
  /** How many calls may stand inside each other. Default: 64. */
  maxDepth?: number
}

/** What is a path entry at all; the compiler looks more closely. */
const isPathEntry = (entry: unknown): boolean =>
  isJsonObject(entry)
    ? typeof entry.dir === 'string' || 'ignore' in entry
    : !!entry && typeof entry === 'string'

const OPTIONS: Record<keyof RuntimeOptions, string> = {
  paths: PATHS,
  cwd: 'a string',
  freshness: FRESHNESS,
  library: 'a boolean',
  external: PACKAGES,
  maxDepth: 'a number',
}

/** Skills, ready to be found and run. */
export interface Runtime {
  readonly globals: Globals
  /** The tool that a reference names; null where there is none. */
  findTool: (ref: string) => Promise<ToolDef | null>
  listTools: () => Promise<ToolDef[]>
  /** Runs a tool; a Markdown skill gives its content. */
  invoke: (ref: string, args?: unknown) => Promise<unknown>
  /** A Markdown skill's content as an agent would get it. */
  render: (ref: string) => Promise<string>
  /** The bytes of one of a folder skill's files. */
  readResource: (ref: string, path: string) => Promise<Uint8Array>
  /** A tool with the author's frontmatter as it was written, and the skill's other files with size and digest. */
  describe: (ref: string) => Promise<{ tool: ToolDef } & ToolDetails>
  /** What was found wrong so far: broken skills that were asked for, indexes that were refused or stale. */
  diagnostics: () => Diagnostic[]
  /** How tools were resolved: a count under `via.disk` says that something was not compiled. */
  stats: () => Stats
}

/**
 * A runtime over some path entries. Does no I/O before its first use.
 *
 * @throws OPTIONS_INVALID
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  const isSound = Array.isArray(options?.paths) && options.paths.every(isPathEntry)
  checkOptions('createRuntime', { ...options, ...(!isSound && { paths: null }) }, OPTIONS)
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const globals = createGlobals({ ...Object.fromEntries(given), paths: [...options.paths] })
  return {
    globals,
    findTool: ref => findTool(ref, globals),
    listTools: () => listTools(globals),
    invoke: (ref, args) => invoke(ref, args, globals),
    render: async ref => String(await invoke(ref, undefined, globals)),
    readResource: (ref, path) => readResource(ref, path, globals),
    describe: async ref => {
      const tool = await requireTool(ref, globals)
      return { tool, ...(await readDetails(tool, globals)) }
    },
    diagnostics: () => [...globals.diagnostics.values()],
    stats: () => ({ ...globals.stats, via: { ...globals.stats.via } }),
  }
}
