/**
 * Skills as tools of LangChain, version 1.
 *
 * @module agent-apps/langchain
 */

export type { RegisterLangChainOptions } from './langchain/register-tools.js'
export { registerLangChainTools } from './langchain/register-tools.js'
export { type RegistryToolsOptions, ToolRegistry } from './langchain/registry-tools.js'
export { type SkillTools, skillTools } from './langchain/skill-tools.js'
export type { SkillToolNames, SkillToolsOptions, ToolUse } from './langchain/skill-tools-options.js'
export { type SkillsMiddlewareOptions, skillsMiddleware } from './langchain/skills-middleware.js'
export type { WithheldTool } from './skill-tools/offered-tools.js'
