/**
 * Skills as tools of the AI SDK, version 6 and 7.
 *
 * @module agent-apps/ai-sdk
 */

export type { AgentRun, AgentStep } from './ai-sdk/agent/agent-run.js'
export type { AgentTools, OwnFiles } from './ai-sdk/agent/agent-tools.js'
export type { ExpectedResult } from './ai-sdk/agent/result-tool.js'
export { type AgentWork, runAgent } from './ai-sdk/agent/run-agent.js'
export { toAiTool } from './ai-sdk/ai-tool.js'
export type { ModelOutput } from './ai-sdk/model-output.js'
export { type RegisterAiToolsOptions, registerAiTools } from './ai-sdk/register-ai-tools.js'
export { type SkillFile, skillFiles } from './ai-sdk/skill-files.js'
export type { SkillToolNames, SkillToolsOptions } from './ai-sdk/skill-tools.js'
export { type SkillTools, skillTools, type ToolApproval } from './ai-sdk/skill-tools.js'
export type { WithheldTool } from './skill-tools/offered-tools.js'
