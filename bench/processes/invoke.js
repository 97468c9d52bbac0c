// What a call costs, in µs, above calling the tool's function: alone, and with ten middlewares around it.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { quantile } from '../measure.js'

const BATCHES = 60
const CALLS = 5_000
const MIDDLEWARES = 10

const { emptyGlobals, invoke, makeChain, registerTool, RunContext, runChain } = await runtime()

const tool = async (_, args) => args
const PARAMS = {
  type: 'object',
  properties: { text: { type: 'string' }, lines: { type: 'array', items: { type: 'integer' } } },
  required: ['text'],
}
const globals = emptyGlobals()
registerTool(globals, { name: 'tool', fn: tool })
registerTool(globals, { name: 'with-params', fn: tool, params: PARAMS })

/** Each middleware counts, so that one that did not run is seen. */
let ran = 0
const BODIES = {
  around: async ctx => {
    await ctx.manager.next()
    ran++
  },
  before: () => void ran++,
  target: async ctx => {
    ctx.envelope.target.locals.seen = ctx.run.tool.name
    await ctx.manager.next()
    ran++
  },
}
const steps = (body, more) =>
  Array.from({ length: MIDDLEWARES }, (_, at) => {
    const name = `middleware-${at}`
    const frontmatter = { name, tags: [], metadata: {}, extra: {} }
    return {
      name,
      args: null,
      static: true,
      def: { ...globals.tools.programmaticTools.get('tool'), name, frontmatter, fn: body },
      ...more,
    }
  })

const args = { text: 'one two', lines: [1, 200] }
const def = globals.tools.programmaticTools.get('tool')
const around = chain => () => {
  const ctx = new RunContext(globals, def, null)
  ctx.takeArguments(args)
  return runChain(ctx, chain, () => def.fn(ctx, args))
}
const nested = Array.from({ length: MIDDLEWARES }).reduce(
  inner => async () => {
    await inner()
  },
  () => tool(undefined, args),
)
const subjects = {
  bare: () => tool(undefined, args),
  nested,
  invoke: () => invoke('tool', {}, globals),
  params: () => invoke('with-params', args, globals),
  none: around(makeChain([])),
  before: around(makeChain(steps(BODIES.before))),
  around: around(makeChain(steps(BODIES.around))),
  target: around(makeChain(steps(BODIES.target))),
  hook: around(
    makeChain([...steps(BODIES.before), ...steps(BODIES.around, { hook: ['$next'] }).slice(0, 1)]),
  ),
}

const times = Object.fromEntries(Object.keys(subjects).map(name => [name, []]))
// In turns, so that what else the machine does hits all of them.
for (let batch = 0; batch <= BATCHES; batch++) {
  for (const [name, call] of Object.entries(subjects)) {
    const started = performance.now()
    for (let at = 0; at < CALLS; at++) await call()
    if (batch > 0) times[name].push(((performance.now() - started) * 1_000) / CALLS)
  }
}
if (ran !== (BATCHES + 1) * CALLS * (4 * MIDDLEWARES + MIDDLEWARES + 1))
  throw new Error(`${ran} middlewares ran`)
console.log(
  JSON.stringify(Object.fromEntries(Object.entries(times).map(([name, all]) => [name, quantile(all, 0.5)]))),
)

/** The runtime, with the inside that runs a chain: which chain a tool has is not measured here. */
async function runtime() {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        export * from './runtime/index.ts'
        export { makeChain } from './runtime/cascade/make-chain.ts'
        export { RunContext } from './runtime/call/run-context.ts'
        export { runChain } from './runtime/call/run-chain.ts'`,
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
    },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    alias: { '#disk': './runtime/host/no-disk.ts' },
    write: false,
  })
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
}
