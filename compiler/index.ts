export type { ReferenceKind, ToolReference } from '../src/skill/references.js'
export { type CheckOptions, type CheckResult, check } from './check.js'
export { type CleanOptions, type CleanResult, clean } from './clean.js'
export { type CompileOptions, type CompileResult, compile, type Progress } from './compile.js'
export {
  type Bundle,
  type CompileBundleOptions,
  type CompileBundleResult,
  compileBundle,
  type Looks,
} from './compile-bundle.js'
export { fromMessage, isFollowUp, type Message } from './diagnostics/diagnostics.js'
export type { RuleSetting, RuleSettings } from './diagnostics/rule-settings.js'
export { graphAsDot, graphAsMermaid } from './graph/graph-text.js'
export type { GraphEdge, GraphNode, GraphSelection, ReferenceGraph } from './graph/reference-graph.js'
export { type GraphOptions, graph } from './graph.js'
export { isOwnName } from './index/own-names.js'
export { type Config, type LoadConfigOptions, type LoadedConfig, loadConfig } from './pipeline/load-config.js'
export type { FileReport, Outcome } from './project/report.js'
export { type ProposedPaths, proposePaths } from './propose-paths.js'
export { guessedDirectories, skillsElsewhere } from './skills-elsewhere.js'
export { type Deviation, type VerifyOptions, type VerifyResult, verify } from './verify.js'
export { type Watcher, type WatchOptions, watch } from './watch.js'
