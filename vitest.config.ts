import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const built = (path: string): string => fileURLToPath(new URL(`./dist/${path}`, import.meta.url))

/** Tests go through the public door: the package's own name leads to what was built, as it does for its users. */
export default defineConfig({
  resolve: {
    alias: [
      { find: /^agent-apps$/, replacement: built('runtime/agent-apps.js') },
      { find: /^agent-apps\/runtime$/, replacement: built('runtime/index.js') },
      { find: /^agent-apps\/compiler$/, replacement: built('compiler/index.js') },
      { find: /^agent-apps\/compiler\/disk$/, replacement: built('compiler/disk.js') },
      { find: /^agent-apps\/(esbuild|vite)$/, replacement: built('adapters/$1.js') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**', 'test/samples/**', 'node_modules/**'],
    // Deadlines only say "hangs"; nothing here measures speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 3,
    server: { deps: { external: [/\/dist\//] } },
  },
})
