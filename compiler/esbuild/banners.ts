/** The first line of every file that code or a schema is compiled to, by which the file is known again. */
export const MODULE_MARK = '// Made by agent-apps. Do not edit: the next `agent-apps compile` replaces it.'

/** Packages in CommonJS that use Node's own modules call `require`, which an ES module does not have. `adapters/esbuild.ts` knows it by its text. */
export const REQUIRE_BANNER =
  "import { createRequire as __agentAppsRequire } from 'node:module'; const require = __agentAppsRequire(import.meta.url);"
