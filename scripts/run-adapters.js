// Each adapter in an empty project, with the packages of its own SDK alone.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install, run } from './processes.js'

const { devDependencies, peerDependencies } = JSON.parse(
  readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'),
)

/** What each adapter needs, and a program that uses it. */
const ADAPTERS = {
  'ai-sdk': {
    packages: ['ai'],
    program: `import { skillTools } from 'agent-apps/ai-sdk'
      const { tools } = await skillTools(runtime)
      console.log(Object.keys(tools).join())`,
  },
  langchain: {
    packages: ['@langchain/core', 'langchain'],
    program: `import { skillTools } from 'agent-apps/langchain'
      const { tools } = await skillTools(runtime)
      console.log(tools.map(({ name }) => name).join())`,
  },
  mcp: {
    packages: ['@modelcontextprotocol/server'],
    program: `import { createMcpHandler } from '@modelcontextprotocol/server'
      import { serveSkills } from 'agent-apps/mcp'
      const handler = createMcpHandler(serveSkills(runtime).create)
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      const answer = await handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
      const [, message] = /data: (.*)/.exec(await answer.text())
      console.log(JSON.parse(message).result.tools.map(({ name }) => name).join())`,
  },
}

/** @param tarball the packed package */
export function runAdapters(tarball, scratch) {
  for (const [adapter, { packages, program }] of Object.entries(ADAPTERS)) {
    const folder = join(scratch, `only-${adapter}`)
    install(folder, [tarball, ...packages.map(name => `${name}@${devDependencies[name]}`)])
    const others = Object.keys(peerDependencies).filter(name => !packages.includes(name))
    const there = others.filter(name => existsSync(join(folder, 'node_modules', name)))
    // The AI SDK itself brings this one.
    assert.deepEqual(there, adapter === 'ai-sdk' ? ['@opentelemetry/api'] : [])
    const app = `import { createRuntime } from 'agent-apps'
      const runtime = createRuntime({ paths: [] })
      runtime.register(() => 1, { name: 'add', description: 'Adds.' })
      ${program}`
    const said = run(process.execPath, ['--input-type=module', '--eval', app], { cwd: folder })
    assert.equal(said, 'add\n', adapter)
  }
}
