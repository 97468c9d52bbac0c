export type ModuleSource = { file: string } | { code: string; from: string }

/** The reason why a source has no module. `file` is absolute, or null if the fault is not in a file. */
export interface ModuleFailure {
  message: string
  file: string | null
  line: number
  column: number
}

/**
 * The later place of modules: beside the index, anywhere (then nothing in them is relative), or in a `data:`
 * URL (then each is one file).
 */
export type Placement = 'index' | 'anywhere' | 'url'

/** The directory that is bundled, and the project that its code may take files from. Real, absolute. */
export interface BundledProject {
  directory: string
  root: string
}

/** The first line of every file that code or a schema is compiled to, by which the file is known again. */
export const MODULE_MARK = '// Made by agent-apps. Do not edit: the next `agent-apps compile` replaces it.'

/** CommonJS packages that use Node's modules call `require`, which an ES module lacks. `adapters/esbuild.ts` searches for this text. */
export const REQUIRE_BANNER =
  "import { createRequire as __agentAppsRequire } from 'node:module'; const require = __agentAppsRequire(import.meta.url);"
