import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { deployRuntime } from '../support/processes.js'
import { makeTree } from '../support/tree.js'

const SCRIPT = fileURLToPath(new URL('../support/run-deployed-tools.mjs', import.meta.url))

/** What a process prints that is given a text. */
function printed(script: string, input: string): Promise<string> {
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(input)
  let text = ''
  child.stdout.on('data', part => {
    text += part
  })
  return new Promise(resolve => {
    child.on('close', () => resolve(text))
  })
}

it('the tools need no package where they are installed', { tags: 'long' }, async () => {
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1><p hidden>secret</p>'),
  )
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const script = deployRuntime(SCRIPT)
  expect(existsSync(join(dirname(script), 'node_modules/undici'))).toBe(false)
  const options = {
    paths: [],
    workspace: makeTree({ 'a.txt': '' }),
    config: { tools: { webfetch: { allow: [`127.0.0.1:${port}`] } } },
  }
  const calls = [
    ['bash', { command: 'ls' }],
    ['webfetch', { url: `http://127.0.0.1:${port}/` }],
    ['todowrite', { todos: [{ content: 'One' }] }],
    ['task', { description: 'A task', prompt: 'Do it.' }],
  ]
  const [ran, page, todos, task] = JSON.parse(await printed(script, JSON.stringify({ options, calls })))
  expect(ran).toMatchObject({ output: 'a.txt\n', metadata: { exitCode: 0 } })
  expect(page.output).toMatch(/^\[.*\n# Hello\n\[.*\]$/)
  expect(todos.output).toBe('[ ] One')
  expect(task.metadata.error).toBe('LLM_ASSIST_REQUIRED')
  server.close()
})
