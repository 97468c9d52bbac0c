import { Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Permission, Runtime } from 'agent-apps'
import { serveSkills } from './mcp/serve-skills.js'

/** The plugin of an exported server. */
export interface ServedPlugin {
  name: string
  version: string
  tools: string[]
  permissions: string[]
}

/** Runs the server of an exported plugin on standard input and output until its client ends it. */
export function servePlugin(runtime: Runtime, { name, version, tools, permissions }: ServedPlugin): void {
  const { create } = serveSkills(runtime, {
    server: { name, version },
    policy: { permissions: permissions as Permission[] },
    tools,
    prompts: false,
    skills: false,
  })
  const { stdin, stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  // Standard output carries only the protocol: other writes go to standard error.
  stdout.write = stderr.write.bind(stderr)
  const protocol = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      write(text)
      done()
    },
  })
  const handle = serveStdio(create, {
    transport: new StdioServerTransport(stdin, protocol),
    onerror: error => void stderr.write(`${name}: ${error.message}\n`),
  })
  const end = async (): Promise<void> => {
    await handle.close()
    await runtime.close()
    // Ends whatever tools left running.
    process.exit()
  }
  stdin.once('end', () => void end())
}
