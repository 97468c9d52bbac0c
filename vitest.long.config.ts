import { mergeConfig } from 'vitest/config'
import base from './vitest.config.js'

/** What takes minutes: kills, races, and the property tests with many more runs. */
export default mergeConfig(base, {
  test: {
    include: ['test/long/**/*.test.ts', 'test/properties.test.ts', 'test/deterministic.test.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    env: { LONG: '1' },
  },
})
