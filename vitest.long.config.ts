import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

/** The files of `npm test` with tests that are tagged as long, or with searches that make many more runs here, counted by `times`. */
const deeper = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map(name => `test/${name.replaceAll('\\', '/')}`)
  .filter(
    file =>
      file.endsWith('.test.ts') &&
      !file.startsWith('test/long/') &&
      /'\.\.\/support\/(?:long|four-ways)\.js'|tags: 'long'/.test(readFileSync(file, 'utf8')),
  )

const shared = {
  ...base.test,
  exclude: ['node_modules/**'],
  tags: [{ name: 'long' }],
  testTimeout: 1_800_000,
  hookTimeout: 1_800_000,
  // Floods and kills are of real disks.
  globalSetup: ['test/support/rebuild.ts'],
  env: { LONG: '1' },
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      // Kills, floods and servers: a test that hangs or that fills the memory is to harm no other.
      { ...base, test: { ...shared, name: 'long', include: ['test/long/**/*.test.ts'], isolate: true } },
      { ...base, test: { ...shared, name: 'deeper', include: deeper } },
    ],
  },
})
