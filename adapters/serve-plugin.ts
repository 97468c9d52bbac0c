import { Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Permission, Runtime } from 'agent-apps'
import { serveSkills } from './mcp/serve-skills.js'

/** The plugin that an exported server serves. */
export interface ServedPlugin {
  name: string
  version: string
  /** The tools, by their names. */
  tools: string[]
  permissions: string[]
}

/** The server of a plugin that was exported: it serves on standard input and output until its client ends it. */
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
  // Whatever else writes to standard output is led to standard error: only the protocol may stand there.
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
    // What a tool has left running is nobody's any more.
    process.exit()
  }
  stdin.once('end', () => void end())
}
