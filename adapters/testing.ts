/**
 * The testing kit: a tool or a store against its contract, and a runtime in memory. It needs no test runner.
 *
 * @module agent-apps/testing
 */

export {
  type ConformanceOptions,
  type ConformanceReport,
  conformance,
  type TestedTool,
} from './testing/conformance.js'
export { storeConformance } from './testing/store-conformance.js'
export type { CheckName, ConformanceProblem } from './testing/subject.js'
export { type TestRuntimeOptions, type TestSkill, testRuntime } from './testing/test-runtime.js'
