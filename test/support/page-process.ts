import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface PageProcess {
  url: string
  end: () => Promise<void>
}

/** Serves one page of HTML from a process of its own, for tests of what is open in theirs. */
export async function pageProcess(html: string): Promise<PageProcess> {
  const code = `
    const answer = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(${JSON.stringify(html)})
    const server = require('node:http').createServer(answer)
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))
  `
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [port] = await once(child.stdout, 'data')
  return {
    url: `http://127.0.0.1:${String(port).trim()}/`,
    async end() {
      child.kill()
      await exited
    },
  }
}
