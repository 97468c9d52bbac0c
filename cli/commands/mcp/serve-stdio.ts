import { Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ServedSkills } from 'agent-apps/mcp'
import type { Invocation } from '../../command.js'

/** Serves on standard input and output until the client closes them, or Ctrl-C. */
export async function serveStandardIo(
  { create }: ServedSkills,
  { output, signal }: Invocation,
): Promise<void> {
  // The CLI redirects all other writes to standard error, so that standard output carries only the protocol.
  const stdout = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      output.stdout.write(text)
      done()
    },
  })
  const { stdin } = process
  const handle = serveStdio(create, {
    transport: new StdioServerTransport(stdin, stdout),
    onerror: error => output.note(`agent-apps mcp: ${error.message}`),
  })
  output.note('Serving over MCP on standard input and output. Press Ctrl-C to stop.')
  await new Promise<void>(ended => {
    stdin.once('end', ended)
    stdin.once('close', ended)
    signal.addEventListener('abort', () => ended(), { once: true })
  })
  await handle.close()
}
