/**
 * The package's main entry: the runtime, and what skill authors and hosts need besides.
 *
 * @module agent-apps
 */

export { failureForModel, type ModelFailure } from '../src/base/failure-for-model.js'
export { nearest } from '../src/base/nearest.js'
export {
  type Catalog,
  type CatalogOptions,
  type CatalogTool,
  makeCatalog,
  renderCatalog,
} from '../src/catalog/catalog.js'
export type { CatalogFormat } from '../src/catalog/catalog-formats.js'
export { estimateTokens } from '../src/catalog/estimate-tokens.js'
export {
  type AgentCatalog,
  type AgentCatalogOptions,
  makeRelevant,
  RELEVANT,
  type Relevant,
  type RelevantOptions,
} from '../src/catalog/relevant-skills.js'
export { whyUnshowable } from '../src/catalog/why-unshowable.js'
export type {
  DirectiveCall,
  DirectiveContent,
  DirectiveSource,
  DirectiveTool,
} from '../src/content/directive.js'
export { type DirectiveForm, directiveForms } from '../src/content/directive.js'
export { type InterpolationRoots, interpolate, interpolationPaths } from '../src/content/interpolate.js'
export type { HookContext, ToolHooks } from '../src/hooks/tool-hooks.js'
export type { PluginRecord } from '../src/index/index-format.js'
export type { AgentSettings } from '../src/own/agent-settings.js'
export { type DefinedTool, isDefinedTool } from '../src/own/defined-tool.js'
export type { OwnParts } from '../src/own/own-parts.js'
export type { Ask, ChoiceQuestion, ConfirmQuestion, Question, TextQuestion } from '../src/own/question.js'
export { type MatchedTool, matchPattern, parsePatterns, type ToolRule } from '../src/patterns/tool-pattern.js'
export { isAllowed, type RuleDecision, type ToolCall, trustOf } from '../src/patterns/tool-rules.js'
export type { RemoteEntry } from '../src/release/remote-entry.js'
export type { StandardSchema } from '../src/schema/standard-schema.js'
export { type DeserializeOptions, deserialize, parse } from '../src/serialize/deserialize.js'
export { type SafeCloneOptions, safeClone, safeSnapshot, safeStringify } from '../src/serialize/safe-clone.js'
export { type SerializeOptions, serialize, stringify } from '../src/serialize/serialize.js'
export {
  type TransferableName,
  transferableSerializerSource,
} from '../src/serialize/transferable-serializer.js'
export {
  type AnyDefinition,
  defineTool,
  definitionOf,
  type PreviewContext,
  type ToolDefinition,
  type ToolSchema,
} from '../src/skill/define-tool.js'
export { extractFrontmatter, type FrontmatterContext } from '../src/skill/frontmatter.js'
export { isMetaKey, type MetaKey } from '../src/skill/metadata-keys.js'
export { isToolName, normalizeTags } from '../src/skill/names.js'
export {
  type DirEntry,
  extractIgnore,
  filterPaths,
  iterPaths,
  mapPaths,
  pathEntryDir,
} from '../src/skill/path-entry.js'
export { parseReference, type Reference } from '../src/skill/reference.js'
export type { ToolContext } from '../src/skill/tool-context.js'
export { isToolResult, outputForModel, type ToolResult } from '../src/skill/tool-result.js'
export { foreignText } from '../src/values/foreign-text.js'
export { pathGet, pathKeys, pathQuery, pathRemove, pathSet } from '../src/values/path-expression.js'
export { listApprovals, revokeApproval } from './approvals/project-approvals.js'
export {
  ctxCwd,
  ctxDecision,
  ctxFolder,
  ctxHookTarget,
  ctxHookTrigger,
  ctxOwn,
  ctxPaths,
  ctxRuntime,
  ctxSearch,
  ctxTarget,
  ctxTool,
  ctxTools,
  ctxValue,
  serializeContext,
} from './call/context-helpers.js'
export { pluginOf } from './directory/plugin-of.js'
export { findAuthority, mainInDir } from './find/find-authority.js'
export { findGiven as findTool } from './find/require-tool.js'
export * from './index.js'
export { createRuntime, type Runtime, type RuntimeOptions } from './registering-runtime.js'
export type { RemoteOrigin, RemoteSkill } from './registry/register.js'
export {
  type RegisterFunction,
  type RegisterFunctionOptions,
  type RegisterOptions,
  registerTool,
} from './registry/register.js'
export { Tool } from './registry/tool.js'
export {
  type RegistryOptions,
  type ToolPermission,
  type ToolPermissions,
  ToolRegistry,
} from './registry/tool-registry.js'
export { type AgentSkill, ctxAgent } from './schema/agent-skill.js'
export { resolveJsonSchema } from './schema/interpolation-roots.js'
export { revokeTrusted, type TrustedProject, trustedProjects } from './trust/trusted-projects.js'
