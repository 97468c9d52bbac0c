import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { isLong, some } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { tsc } from '../support/tsc.js'

const USE = `import { createMcpHandler } from '@modelcontextprotocol/server'
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createRuntime } from 'agent-apps'
import { type McpChanges, type ServeOptions, serveSkills, skillSource } from 'agent-apps/mcp'

const runtime = createRuntime({ paths: [] })
const options: ServeOptions = { policy: { deny: 'x', sessionId: 's' }, tools: 'a, b', approval: 'runtime' }
const { create, onChange } = serveSkills(runtime, options)
serveSkills(runtime, { policy: 'reviewer', tools: ['a'], prompts: false, onRefused: (uri, why) => uri + why })
serveStdio(create)
const handler = createMcpHandler(create)
export const stop: () => void = onChange(({ tools }: McpChanges) => tools && handler.notify.toolsChanged())
export const answer: Promise<Response> = handler.fetch(new Request('http://localhost/mcp'))
new SkillsExtension({ source: skillSource(runtime, { policy: { permissions: ['read'] } }) })
serveSkills(runtime, { tool: 'a' })
`

it.each(
  some([
    ['bundler', ['--module', 'esnext', '--moduleResolution', 'bundler']],
    ['nodenext', ['--module', 'nodenext']],
  ] as const),
)('serveSkills and skillSource are typed as the SDK is: %s', { tags: 'long' }, (_, flags) => {
  const root = temporary()
  for (const name of ['@modelcontextprotocol/server', '@types/node', 'agent-apps']) {
    const link = join(root, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(name === 'agent-apps' ? ROOT : join(ROOT, 'node_modules', name), link)
  }
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(root, 'use.ts'), USE)
  // The SDK's declarations take most of the time.
  const own = isLong ? [] : ['--skipLibCheck']
  const said = tsc(root, [...flags, ...own, '--types', 'node', '--exactOptionalPropertyTypes', 'use.ts'])
  expect(said.match(/^.*\berror\b/gm)).toEqual([expect.stringMatching(/^use\.ts\(16,/)])
  expect(said).toContain("'tool' does not exist in type 'ServeOptions'")
})
