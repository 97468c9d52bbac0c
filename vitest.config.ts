import { readdirSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Packages to test with in place of the installed ones: `scripts/run-ai-sdk-7.js` names where they are. */
const { AGENT_APPS_TESTED_WITH: packages } = process.env

const built = (path: string): string =>
  packages ? `${packages}/agent-apps/dist/${path}` : fileURLToPath(new URL(`./dist/${path}`, import.meta.url))

/** Which folders of tests a change of what is built concerns most. The first that fits is run, in `npm run test:watch`. */
const CONCERNED: [changed: RegExp, folders: string[]][] = [
  [/compiler\/(1-read\/code|esbuild|2-resolve\/modules)\//, ['code']],
  [/(content|directives|2-resolve\/contents)\//, ['content']],
  [/compiler\/(1-read|diagnostics)\//, ['read']],
  [/compiler\/4-bundle\//, ['bundle']],
  [/\/cascade\//, ['cascade']],
  [/(runtime\/(find|directory|state)|catalog|graph|link)\//, ['find']],
  [/(runtime\/call|schema)\//, ['call']],
  [/(?:skills\/)?workspace\//, ['workspace']],
  [/cli\//, ['cli']],
  [/adapters\/ai-sdk/, ['ai-sdk']],
  [/adapters\/langchain/, ['langchain']],
  [/adapters\/(export|serve-plugin)/, ['export']],
  [/adapters\/mcp/, ['mcp']],
  [/adapters\/skill-tools/, ['ai-sdk', 'langchain']],
  [/adapters\//, ['plugins']],
  [/(compiler|runtime)\//, ['same', 'find', 'cli']],
  [/(src|skills)\//, ['contract', 'same']],
]

/** The files that are built, of this project alone and not of its tests, samples and examples. */
const SOURCES = new RegExp(
  `^${import.meta.dirname.replace(/[^\w/]/g, '\\$&')}/(?:src|compiler|runtime|workspace|cli|adapters|skills)/[^.][\\w./-]*\\.(?:ts|md)$`,
)

function testsFor(changed: string): string[] {
  const path = relative(import.meta.dirname, changed)
  const [, folders = []] = CONCERNED.find(([pattern]) => pattern.test(path)) ?? []
  return folders.flatMap(folder =>
    readdirSync(`test/${folder}`)
      .filter(name => name.endsWith('.test.ts'))
      .map(name => `test/${folder}/${name}`),
  )
}

/** Tests go through the public door: the package's own name leads to what was built, as it does for its users. */
export default defineConfig({
  // Each run of `npm run test:watch` builds anew, which is not to lead to another run.
  server: { watch: { ignored: ['**/dist/**'] } },
  resolve: {
    alias: [
      ...(packages
        ? [
            { find: /^ai$/, replacement: `${packages}/ai/dist/index.js` },
            { find: /^ai\/test$/, replacement: `${packages}/ai/dist/test/index.js` },
          ]
        : []),
      { find: /^agent-apps$/, replacement: built('runtime/agent-apps.js') },
      { find: /^agent-apps\/runtime$/, replacement: built('runtime/index.js') },
      { find: /^agent-apps\/compiler$/, replacement: built('compiler/index.js') },
      { find: /^agent-apps\/compiler\/disk$/, replacement: built('compiler/disk.js') },
      { find: /^agent-apps\/workspace$/, replacement: built('workspace/index.js') },
      {
        find: /^agent-apps\/(ai-sdk|esbuild|export|langchain|mcp|store|testing|vite)$/,
        replacement: built('adapters/$1.js'),
      },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**', 'test/samples/**', 'node_modules/**'],
    tags: [
      { name: 'long', description: 'Takes long for what it adds: only in `npm run test:long`.', skip: true },
    ],
    // Deadlines only say "hangs"; nothing here measures speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Files share a process, and with it the compiler and its esbuild, whose start is most of what a small test takes.
    isolate: false,
    // As many as CI has cores: a third waits less, but imports all packages once more. Short-lived objects are most of what tests make.
    maxWorkers: 2,
    execArgv: [
      '--max-semi-space-size=64',
      // Threads that collect garbage take a twelfth more processor time than they save.
      '--single-threaded-gc',
      // Most functions are left before it pays to optimize them: with the usual budget, tests take an eighth more processor time.
      // Later versions of Node have no such flag.
      ...(process.version.startsWith('v20.') ? ['--interrupt-budget=1000000'] : []),
    ],
    setupFiles: ['test/support/setup.ts'],
    globalSetup: ['test/support/rebuild.ts', 'test/support/in-memory.ts'],
    watchTriggerPatterns: [
      {
        pattern: SOURCES,
        testsToRun: changed => testsFor(changed),
      },
    ],
    // What tests compile is imported as it is, too.
    server: { deps: { external: [/\/dist\//, /agent-apps-(?:tests|Test)-/] } },
  },
})
