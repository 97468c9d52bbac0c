/**
 * The compiler, for scripts and build tools: it checks, compiles, watches, verifies and publishes skills.
 *
 * @module agent-apps/compiler
 */

export type { ReferenceKind, ToolReference } from '../src/skill/reference.js'
export type { CheckOptions, CheckResult } from './check.js'
export type { CleanOptions, CleanResult } from './clean.js'
export type { CompileOptions, CompileResult, Progress } from './compile.js'
export type { Bundle, CompileBundleOptions, CompileBundleResult, Looks } from './compile-bundle.js'
export { fromMessage, isFollowUp, type Message } from './diagnostics/diagnostics.js'
export type { RuleSetting, RuleSettings } from './diagnostics/rule-settings.js'
export { graphAsDot, graphAsMermaid } from './graph/graph-text.js'
export type { GraphEdge, GraphNode, GraphSelection, ReferenceGraph } from './graph/reference-graph.js'
export type { GraphOptions } from './graph.js'
export { isOwnName } from './index/index-directory.js'
export {
  check,
  clean,
  compile,
  compileBundle,
  graph,
  guessedDirectories,
  proposePaths,
  publish,
  skillsElsewhere,
  verify,
  watch,
} from './on-demand.js'
export { type Config, type LoadConfigOptions, type LoadedConfig, loadConfig } from './pipeline/load-config.js'
export type { FileReport, Outcome } from './project/report.js'
export type { ProposedPaths } from './propose-paths.js'
export type { PublishOptions, PublishResult } from './publish.js'
export type { Deviation, VerifyOptions, VerifyResult } from './verify.js'
export type { Watcher, WatchOptions } from './watch.js'
