import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

/** What takes minutes: kills, races, and the property tests with many more runs. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [
      'test/long/**/*.test.ts',
      'test/*/crash.test.ts',
      'test/*/index.test.ts',
      'test/*/leak.test.ts',
      'test/*/load.test.ts',
      'test/*/same-bytes.test.ts',
      'test/*/properties.test.ts',
      'test/*/large-texts.test.ts',
      'test/*/deterministic.test.ts',
      'test/*/clean.test.ts',
      'test/*/patterns.test.ts',
      'test/*/path-expression.test.ts',
      'test/*/serialize.test.ts',
      'test/*/incremental.test.ts',
      'test/*/cascade.test.ts',
      'test/*/cascade-attack.test.ts',
      'test/*/cascade-incremental.test.ts',
      'test/*/content-untouched.test.ts',
      'test/*/peers.test.ts',
      'test/*/schemas.test.ts',
    ],
    exclude: ['node_modules/**'],
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    env: { LONG: '1' },
  },
})
