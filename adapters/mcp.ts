/**
 * Skills as an MCP server: tools, prompts, and the skills themselves under the Skills extension (SEP-2640); and the tools of other servers.
 *
 * @module agent-apps/mcp
 */

export {
  type ConnectOptions,
  connectMcp,
  type McpConnection,
  type McpServerPlace,
} from './mcp/connect/connect-mcp.js'
export { type McpChanges, type ServedSkills, type ServeOptions, serveSkills } from './mcp/serve-skills.js'
export { type SkillSourceOptions, skillSource } from './mcp/skill-source.js'
