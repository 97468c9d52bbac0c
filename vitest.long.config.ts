import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

/** What takes minutes: kills, floods, servers, and the searches of `npm test` with many more runs, which count by `times`. */
const searches = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map(name => `test/${name.replaceAll('\\', '/')}`)
  .filter(
    file =>
      file.endsWith('.test.ts') && /'\.\.\/support\/(?:long|four-ways)\.js'/.test(readFileSync(file, 'utf8')),
  )

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/long/**/*.test.ts', ...searches],
    exclude: ['node_modules/**'],
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    // A test that hangs or that fills the memory is to harm no other.
    isolate: true,
    // Floods and kills are of real disks.
    globalSetup: ['test/support/rebuild.ts'],
    env: { LONG: '1' },
  },
})
