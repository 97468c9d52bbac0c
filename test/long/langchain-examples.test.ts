import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { some } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { tsc } from '../support/tsc.js'

const run = (...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: join(ROOT, 'examples/langchain'), encoding: 'utf8' })

it('a model uses skills, and the runtime asks before it publishes', () => {
  const said = run('chat.js')
  expect(said).toContain('<name>release-notes</name>')
  expect(said).toContain('allowed: publish {"page":"notes"}')
  expect(said).toMatch(/The last call gave: published notes\n$/)
})

it.each(
  some([
    ['no', 'a person said no'],
    ['yes', 'published notes'],
  ]),
)('the graph asks in one process, and another goes on with the answer: %s', (answer, given) => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-apps-langchain-'))
  expect(run('approval.js', folder)).toContain('publish (project) needs approval, as it is gated.')
  expect(run('approval.js', folder, answer)).toMatch(new RegExp(`The last call gave: .*${given}`))
})

const USE = `import { createRuntime, Tool } from 'agent-apps'
import { registerLangChainTools, skillsMiddleware, skillTools, ToolRegistry } from 'agent-apps/langchain'
import type { StructuredTool } from '@langchain/core/tools'
import { createAgent, type DynamicTool, tool } from 'langchain'
import { z } from 'zod'

declare const old: DynamicTool
const runtime = createRuntime({ paths: [] })
const skills = await skillTools(runtime, { policy: { permissions: ['read'] }, budget: 100 })
createAgent({ model: 'openai:x', ...skills })
const mine = tool(({ a }) => a, { name: 'mine', description: 'Mine.', schema: z.object({ a: z.string() }) })
createAgent({ model: 'openai:x', ...skills, tools: [mine, ...skills.tools] })
const middleware = [await skillsMiddleware(runtime, { approval: 'runtime' })]
const agent = createAgent({ model: 'openai:x', middleware, tools: [mine] })
export const said: string | undefined = (await agent.invoke({ messages: 'Hi' })).messages.at(-1)?.text
export const undo: () => void = registerLangChainTools(runtime, [mine, old, ...skills.tools], { prefix: 'lc-' })
export const tools: StructuredTool[] = await ToolRegistry.tools({
  initCtx: { workingDir: '/project' },
  createContext: (toolId, callId) => ({ agent: toolId, callID: callId }),
  onToolResult: (result: Tool.Result) => console.log(result.output),
})
await skillTools(runtime, { approval: 'interrupt' })
await skillsMiddleware(runtime, { approval: 'sdk' })
`

it.each(
  some([
    ['bundler', ['--module', 'esnext', '--moduleResolution', 'bundler']],
    ['nodenext', ['--module', 'nodenext']],
  ] as const),
)('is typed as LangChain is: %s', (_, flags) => {
  const root = mkdtempSync(join(tmpdir(), 'agent-apps-langchain-'))
  const link = (name: string, to: string): void => {
    mkdirSync(dirname(join(root, 'node_modules', name)), { recursive: true })
    symlinkSync(to, join(root, 'node_modules', name))
  }
  for (const name of ['@langchain/core', 'langchain', 'zod']) link(name, join(ROOT, 'node_modules', name))
  link('agent-apps', ROOT)
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(root, 'use.ts'), USE)
  const said = tsc(root, [...flags, '--exactOptionalPropertyTypes', 'use.ts'])
  const faults = said.match(/^\S+\(\d+(?=,\d+\): error)/gm) ?? []
  // LangChain's own declarations do not hold to `exactOptionalPropertyTypes`, nor to a program without a DOM.
  expect(faults.filter(at => !/node_modules\/(@langchain|langchain|langsmith)\//.test(at))).toEqual([
    'use.ts(22',
    'use.ts(23',
  ])
})
