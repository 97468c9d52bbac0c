// Serves skills over MCP on standard input and output: `claude mcp add skills -- node examples/mcp/server.js`.
import { fileURLToPath } from 'node:url'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createRuntime } from 'agent-apps'
import { serveSkills } from 'agent-apps/mcp'

const runtime = createRuntime({
  paths: [fileURLToPath(new URL('skills', import.meta.url))],
  policy: { permissions: ['read', 'write'] },
})
serveStdio(serveSkills(runtime).create)
