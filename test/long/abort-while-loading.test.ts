import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime, type Runtime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { afterEach, expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'

declare global {
  var whileLoading: (() => void) | undefined
  var started: string[]
}

afterEach(() => {
  globalThis.whileLoading = undefined
})

/** Code that says when it is being loaded, and then takes a while. */
const LOADING = `globalThis.whileLoading?.()\nawait new Promise(done => setTimeout(done, 20))\n`
const start = (name: string): string => `globalThis.started.push('${name}')`

function code(name: string, metadata: object, body = start(name), before = LOADING): string {
  const frontmatter = JSON.stringify({ name, description: 'x', metadata })
  return `export const frontmatter = ${frontmatter}\n${before}export default async ctx => {\n${body}\n}\n`
}

function text(name: string, metadata: object, body = ''): string {
  return `---\nname: ${name}\ndescription: x\nmetadata: ${JSON.stringify(metadata)}\n---\n${body}`
}

/** Starts what is further in, and ends without it while that is being loaded. */
const RACE = `const loading = new Promise(done => { globalThis.whileLoading = done })
void ctx.manager.next()
await loading
return 'raced'`

const TREE = {
  'skills/tool.skill.js': code('tool', {}),
  'skills/wrapped.skill.js': code('wrapped', { goes: true }),
  'skills/goes.skill.js': code('goes', { role: 'middleware' }, '', ''),
  'skills/late.skill.js': code('late', { role: 'middleware' }),
  'skills/tardy.skill.js': code('tardy', { role: 'middleware' }),
  'skills/inside.skill.js': code('inside', { late: true }, start('inside'), ''),
  'skills/static.skill.js': code('static', { tardy: true, $static: ['tardy'] }, start('static'), ''),
  'skills/module.skill.md': text('module', { delegate: './module.js' }),
  'skills/module.js': `${LOADING}export default () => ${start('module')}\n`,
  'skills/inline.skill.md': text('inline', {
    delegate: `inline://code,${LOADING}export default () => ${start('inline')}`,
  }),
  'skills/named.skill.md': text('named', { delegate: 'other' }),
  'skills/other.skill.js': code('other', {}),
  'skills/made.skill.js': `import { defineTool } from 'agent-apps'
export default defineTool('made', async () => {
  ${LOADING}
  return { description: 'x', execute: () => { ${start('made')} } }
})\n`,
  'skills/checked.skill.js': `import { defineTool } from 'agent-apps'
import { z } from 'zod'
const check = async () => {
  ${LOADING}
  return true
}
export default defineTool({
  name: 'checked',
  description: 'x',
  params: z.object({ a: z.number().default(1).refine(check) }),
  execute: () => { ${start('checked')} },
})\n`,
  'skills/first.skill.js': code('first', { tags: ['meta-directive-inline'] }),
  'skills/next.skill.js': code('next', { tags: ['meta-directive-inline'] }, start('next'), ''),
  'skills/content.skill.md': text('content', {}, 'A :first[a] and a :next[b].\n'),
  'skills/race.skill.js': code('race', { role: 'middleware' }, RACE, ''),
  'skills/left.skill.js': code('left', { race: true }),
}

const ABORTED = [
  'tool',
  'wrapped',
  'inside',
  'static',
  'module',
  'inline',
  'named',
  'made',
  'checked',
  'content',
]

/** Of each call: whether it was aborted while something was being loaded, what started, and how it ended. */
async function outcomes(runtime: Runtime): Promise<unknown[]> {
  const all: unknown[] = []
  for (const name of [...ABORTED, 'left']) {
    globalThis.started = []
    const controller = new AbortController()
    let wasLoading = false
    globalThis.whileLoading = () => {
      wasLoading = true
      controller.abort()
    }
    const outcome = await runtime
      .invoke(name, undefined, { signal: controller.signal })
      .catch((error: { code?: string }) => error.code)
    await new Promise(done => setTimeout(done, 50))
    all.push([name, wasLoading, globalThis.started, outcome])
  }
  return all
}

const NOTHING_STARTED = [
  ...ABORTED.map(name => [name, true, [], 'RUN_ABORTED']),
  // It takes the place of what aborts.
  ['left', false, [], 'raced'],
]

it('what is loaded when its call is over never starts: from files, from an index, in a bundle', async () => {
  const { root: cwd } = codeProject(TREE)
  const paths = ['skills']
  expect(await outcomes(createRuntime({ cwd, paths, freshness: 'check' }))).toEqual(NOTHING_STARTED)
  const bundle = join(cwd, 'agent.mjs')
  await compile({ cwd, paths, bundle })
  expect(await outcomes(createRuntime({ cwd, paths, freshness: 'trust' }))).toEqual(NOTHING_STARTED)
  expect(await outcomes((await import(pathToFileURL(bundle).href)).runtime)).toEqual(NOTHING_STARTED)
}, 60_000)
