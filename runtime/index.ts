/**
 * The slim runtime: it finds, lists and runs skills, with no npm package and no `node:` import.
 *
 * @module agent-apps/runtime
 */

export type { Diagnostic, Severity } from '../src/base/diagnostic.js'
export { AgentAppsError, type ErrorCode, type Issue, isAgentAppsError } from '../src/base/error.js'
export type { JsonObject, JsonValue } from '../src/base/json.js'
export type { Permission, ToolPermissions } from '../src/base/permissions.js'
export type { HostPlaceholder, ResourceRecord, ToolDetails } from '../src/index/index-format.js'
export type { Model, Models } from '../src/own/models.js'
export type { Decision, StepAnswer } from '../src/policy/decide.js'
export type { AgentCall } from '../src/policy/limits.js'
export type { Role, ToolFrontmatter, ToolKind } from '../src/skill/frontmatter.js'
export type { DirectoryEntry, IgnoreEntry, Layer, PathEntry } from '../src/skill/path-entry.js'
export type { ReferenceKind, ToolReference } from '../src/skill/reference.js'
export type { SpawnedAgent, SpawnedTool, SpawnPolicy } from '../src/skill/tool-context.js'
export type { Approval } from './approvals/project-approvals.js'
export type { AgentRuntime } from './call/agent-runtime.js'
export { invoke } from './call/invoke.js'
export type { ExplainedOrigin, ExplainedStep, Explanation } from './cascade/explain.js'
export type { RenderOptions } from './content/render-tool.js'
export {
  createRuntime,
  type Runtime,
  type RuntimeOptions,
} from './create-runtime.js'
export { clearAllCaches, clearToolCache } from './directory/caches.js'
export { findTool } from './find/find-tool.js'
export type { OpenedSkill } from './find/read-details.js'
export type { ToolState } from './lifecycle/tool-states.js'
export type { TurnOptions } from './lifetime.js'
export { listTools, loadSkillsFromFile, readResource } from './read-skills.js'
export {
  createCallbackRef,
  type RegisterToolOptions,
  registerTool,
  unregisterTool,
} from './registry/programmatic-tools.js'
export type { SearchOptions, SearchResult } from './search/search-query.js'
export type { AgentOptions } from './state/agent.js'
export type { ChainStep } from './state/chain.js'
export type {
  AnswerOptions,
  Cache,
  CallerKind,
  CallIds,
  Context,
  Envelope,
  Freshness,
  Globals,
  InvokeOptions,
  Locals,
  Manager,
  Run,
  RunningTool,
  Stats,
  ToolConfig,
  WorkspaceOptions,
} from './state/context.js'
export type { Progress, RunEvent, RunEvents, RunEventType, RunListener } from './state/events.js'
export { emptyGlobals } from './state/globals.js'
export type {
  AgentPolicy,
  ApprovalAnswer,
  ApprovalPolicy,
  ApprovalRequest,
  Authorization,
  HostRequest,
  Interact,
  NamedAgent,
  Offer,
  Patterns,
  ProjectConfiguration,
  ProjectRequest,
  PromptRequest,
  RuntimePolicy,
  TrustPolicy,
  UntrustedTool,
  WaitingRequest,
  Withheld,
} from './state/policy.js'
export type { Hit, Rerank, SearchFunctions } from './state/search-functions.js'
export type { Store, StoredValue } from './state/store.js'
export type { Origin, SkillFiles, ToolDef, ToolFunction, Via } from './state/tool-def.js'
export type {
  CallArguments,
  Register,
  RegisteredTools,
  ToolArguments,
  ToolFunctions,
  ToolName,
  ToolRef,
  ToolReturn,
} from './typed-tools.js'
