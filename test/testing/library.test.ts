import { createRuntime } from 'agent-apps'
import { type ConformanceOptions, conformance } from 'agent-apps/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { scriptedModel } from '../support/ai-model.js'
import { oneIn } from '../support/long.js'
import { type PageProcess, pageProcess } from '../support/page-process.js'
import { makeTree, skill } from '../support/tree.js'

const dir = makeTree({ 'review.skill.md': skill('review'), 'repo/a.txt': 'one\n' })
const runtime = createRuntime({
  paths: [dir],
  workspace: `${dir}/repo`,
  models: { default: scriptedModel(...Array.from({ length: 100 }, () => ({ text: 'Done.' }))) },
  config: { tools: { webfetch: { allow: ['127.0.0.1'] } } },
})
let page: PageProcess
beforeAll(async () => {
  page = await pageProcess('<h1>A page</h1>')
})
// What changes a file that exists must have read it.
beforeEach(() => runtime.invoke('read', { path: 'a.txt' }))
afterAll(async () => {
  await runtime.close()
  await page.end()
})

/** Arguments for each tool of the library that is called, and not put around others or into texts. */
const ARGUMENTS: Record<string, () => Omit<ConformanceOptions, 'runtime'>> = {
  agent: () => ({
    args: [{ prompt: 'Look at it.' }, { prompt: 'Look at it.', skill: 'review', allowedTools: 're*' }],
    refused: [{}, { prompt: '' }, { prompt: 'Look.', allowedTools: 'read(path=a)' }],
  }),
  'agent-discover': () => ({ args: [{}] }),
  'context-manager': () => ({
    args: [
      { op: 'drop', skill: 'review' },
      { op: 'finish', result: [1] },
    ],
    refused: [{}, { op: 'forget' }, { op: 'drop', name: 'review' }],
  }),
  'skill-describe': () => ({ args: [{ name: 'review' }], refused: [{}, { name: 1 }] }),
  'skill-list': () => ({ args: [{}, { pattern: 're*' }, { limit: 1, offset: 1 }], refused: [{ limit: 0 }] }),
  bash: () => ({
    args: [{ command: 'echo one; exit 3' }, { command: 'pwd', cwd: '.', timeoutMs: 60_000 }],
    refused: [{}, { command: '' }, { command: 'ls', timeoutMs: 0 }, { command: 'ls', shell: 'zsh' }],
    slow: { command: 'sleep 60' },
  }),
  edit: () => ({
    args: [
      { path: 'a.txt', old: 'one', new: 'two' },
      { path: 'a.txt', edits: [{ old: 'two', new: 'one' }] },
    ],
    refused: [{ path: 'a.txt' }, { path: 'a.txt', old: 'one' }, { path: 'a.txt', edits: [] }],
    slow: { path: 'a.txt', old: 'o', new: 'o, o', all: true },
  }),
  glob: () => ({
    args: [{ pattern: '**/*.txt' }, { pattern: '*', path: '.', limit: 1 }],
    refused: [{}, { pattern: '' }, { pattern: '*', limit: 0 }],
  }),
  grep: () => ({
    args: [{ pattern: 'o' }, { pattern: 'O', ignoreCase: true, mode: 'count', glob: '*.txt', context: 1 }],
    refused: [{}, { pattern: 'o', mode: 'lines' }, { pattern: 'o', context: -1 }],
  }),
  list: () => ({ args: [{}, { path: '.', depth: 1, limit: 1 }], refused: [{ depth: 0 }, { path: 1 }] }),
  read: () => ({
    args: [{ path: 'a.txt' }, { path: 'a.txt', offset: 1, limit: 1 }],
    refused: [{}, { path: 'a.txt', offset: 0 }, { path: 'a.txt', encoding: 'latin1' }],
  }),
  task: () => ({
    args: [{ description: 'Look', prompt: 'Look at it.' }],
    refused: [{}, { description: 'Look' }, { description: '', prompt: 'Look.' }],
  }),
  todoread: () => ({ args: [{}], refused: [{ todos: [] }] }),
  todowrite: () => ({
    args: [{ todos: [{ content: 'One' }, { content: 'Two', status: 'completed', priority: 'low' }] }, {}],
    refused: [{ todos: [{}] }, { todos: [{ content: 'One', status: 'done' }] }],
  }),
  webfetch: () => ({
    args: [{ url: page.url }, { url: page.url, format: 'text', timeoutMs: 60_000 }],
    refused: [{}, { url: '' }, { url: page.url, format: 'pdf' }, { url: page.url, method: 'POST' }],
  }),
  write: () => ({
    args: [
      { path: 'a.txt', content: 'one\n' },
      { path: 'new/b.txt', content: '' },
    ],
    refused: [{}, { path: 'a.txt' }, { path: 'a.txt', content: 1 }],
  }),
}

it('has arguments for each tool of the library', async () => {
  const called = (await runtime.tools()).filter(({ layer }) => layer === 'bundled').map(({ name }) => name)
  const tools = await Promise.all(called.map(name => runtime.findTool(name)))
  const shown = tools.filter(tool => tool && !tool.frontmatter.role).map(tool => tool?.name)
  expect(Object.keys(ARGUMENTS).sort()).toEqual(shown.sort())
})

/**
 * What tools read of the environment of the process, and cannot name in `env`, which is for secrets: commands see some
 * variables, `rg` is looked for, and undici asks for its own.
 */
const READ: Record<string, RegExp> = {
  bash: / (PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|all environment variables),/,
  grep: / (PATH|npm_config_arch),/,
  webfetch: / (JEST_WORKER_ID|UNDICI_\w+),/,
}

it.each(oneIn(3, Object.keys(ARGUMENTS)))('%s keeps its contract', async name => {
  // What does not end within its time hangs.
  const options = { runtime, abortMs: 30_000, ...ARGUMENTS[name]?.() }
  const issues = await conformance(name, options).then(
    () => [],
    error => error.issues as { expected: string; message: string }[],
  )
  expect(issues.filter(({ expected, message }) => expected !== 'env' || !READ[name]?.test(message))).toEqual(
    [],
  )
})
