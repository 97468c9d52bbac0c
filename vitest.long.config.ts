import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

/**
 * Besides test/long, with its kills, floods and servers: the files of `npm test` with tests that are tagged as long, or
 * with searches that make many more runs here, which count by `times`.
 */
const deeper = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map(name => `test/${name.replaceAll('\\', '/')}`)
  .filter(
    file =>
      file.endsWith('.test.ts') &&
      /'\.\.\/support\/(?:long|four-ways)\.js'|tags: 'long'/.test(readFileSync(file, 'utf8')),
  )

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/long/**/*.test.ts', ...deeper],
    exclude: ['node_modules/**'],
    tags: [{ name: 'long' }],
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    // A test that hangs or that fills the memory is to harm no other.
    isolate: true,
    // Floods and kills are of real disks.
    globalSetup: ['test/support/rebuild.ts'],
    env: { LONG: '1' },
  },
})
