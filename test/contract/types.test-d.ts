/**
 * The public types, checked by `npm run types`: what users write compiles, and what they get wrong does not.
 * Nothing here runs.
 */
import {
  AgentAppsError,
  type AgentRuntime,
  type Context,
  createRuntime,
  ctxRuntime,
  ctxTarget,
  defineTool,
  type ErrorCode,
  findTool,
  interpolate,
  interpolationPaths,
  invoke,
  isAgentAppsError,
  isAllowed,
  type JsonObject,
  listTools,
  matchPattern,
  type PathEntry,
  parse,
  parsePatterns,
  parseReference,
  pathGet,
  pathKeys,
  pathQuery,
  pathSet,
  type RegisterToolOptions,
  type Runtime,
  registerTool,
  safeSnapshot,
  stringify,
  type ToolCall,
  type ToolDef,
  type ToolDetails,
  type ToolRule,
  transferableSerializerSource,
  trustOf,
} from 'agent-apps'
import { check, clean, compile, loadConfig } from 'agent-apps/compiler'
import type { createRuntime as createSlimRuntime } from 'agent-apps/runtime'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { z as old } from 'zod/v3'

const runtime = createRuntime({
  paths: ['skills', { dir: 'lib', external: true, layer: 'bundled' }, { ignore: ['*.bak'] }],
})
expectTypeOf(runtime).toEqualTypeOf<Runtime>()
expectTypeOf(runtime).toExtend<ReturnType<typeof createSlimRuntime>>()
expectTypeOf(runtime.register({ name: 'x', execute: () => 1 })).toEqualTypeOf<() => void>()
expectTypeOf(runtime.findTool('x')).resolves.toEqualTypeOf<ToolDef | null>()
expectTypeOf(runtime.listTools()).resolves.toEqualTypeOf<ToolDef[]>()
expectTypeOf(runtime.invoke('x')).resolves.toBeUnknown()
expectTypeOf(runtime.render('x')).resolves.toBeString()
expectTypeOf(runtime.readResource('x', 'y')).resolves.toEqualTypeOf<Uint8Array>()
expectTypeOf(runtime.describe('x')).resolves.toEqualTypeOf<{ tool: ToolDef } & Required<ToolDetails>>()
expectTypeOf(findTool).parameter(0).toBeString()
expectTypeOf(listTools).parameter(0).toEqualTypeOf<Runtime['globals'] | undefined>()
expectTypeOf(invoke('x')).resolves.toBeUnknown()
expectTypeOf(runtime.forAgent({ allowedTools: ['a'] })).toEqualTypeOf<AgentRuntime>()
expectTypeOf(runtime.globals.events.on('tool:end', event => event.duration)).toEqualTypeOf<() => void>()
declare const context: Context
expectTypeOf(context.manager.next()).resolves.toBeUnknown()
expectTypeOf(context.run.signal).toEqualTypeOf<AbortSignal>()
expectTypeOf(ctxTarget(context)).toEqualTypeOf<Context>()
// @ts-expect-error An agent's calls are an agent's.
runtime.forAgent().invoke('x', {}, { as: 'code' })
// @ts-expect-error There is no such event.
runtime.globals.events.on('tool:begin', () => {})
// @ts-expect-error There is no such event.
runtime.globals.events.on('tool:strat', () => {})
// @ts-expect-error The arguments are set once.
context.args = 1
declare const known: Context<{ name: string }>
expectTypeOf(known.args).toEqualTypeOf<{ name: string }>()
expectTypeOf(context.args).toBeUnknown()
expectTypeOf(known).toExtend<Context>()

const { globals } = runtime
registerTool(globals, {
  name: 'plain',
  fn: (ctx, args) => {
    expectTypeOf(ctx).toEqualTypeOf<Context>()
    expectTypeOf(args).toBeUnknown()
  },
})
registerTool(globals, {
  name: 'with-params',
  params: { type: 'object', properties: { name: { type: 'string' } } },
  fn: async (ctx, { name }) => {
    expectTypeOf(ctx.args).toEqualTypeOf<Record<string, unknown>>()
    expectTypeOf(ctx.manager.invoke('x')).resolves.toBeUnknown()
    return name
  },
})
registerTool(globals, { name: 'own-context', fn: (ctx: Context) => ctx.run.id })
const options: RegisterToolOptions = { name: 'kept', params: {}, fn: ctx => ctx.locals.result }
registerTool(globals, options)
// @ts-expect-error There is no such role.
registerTool(globals, { name: 'x', role: 'middlware', fn: () => 1 })
// @ts-expect-error A function is given a context.
registerTool(globals, { name: 'x', fn: (ctx: string) => ctx })
// @ts-expect-error A schema library's schema goes through `defineTool`.
registerTool(globals, { name: 'x', params: z.object({}), fn: () => 1 })
expectTypeOf(registerTool(globals, defineTool({ name: 'x', execute: () => 1 }))).toEqualTypeOf<
  Promise<void>
>()
defineTool({
  name: 'no-params',
  // @ts-expect-error It takes no arguments.
  execute: args => args.name,
})
for (const schema of [z.object({ text: z.string() })]) {
  defineTool({ name: 'x', inputSchema: schema, execute: ({ text }) => text.length })
  defineTool({ name: 'x', parameters: schema, execute: ({ text }) => text.length })
  defineTool({ name: 'x', outputSchema: schema, execute: () => ({ text: 'a' }) })
}
const config = z.object({ near: z.string().optional(), region: z.string().default('eu') })
const state = z.object({ searches: z.number(), last: z.string().optional() })
const owning = defineTool({
  name: 'owning',
  params: z.object({ query: z.string() }),
  config,
  state: { schema: state, initial: { searches: 0 } },
  init: ({ config: { region } }) => expectTypeOf(region).toBeString(),
  execute: ({ query }, ctx) => {
    expectTypeOf(query).toBeString()
    expectTypeOf(ctx.config).toEqualTypeOf<{ near?: string | undefined; region: string }>()
    expectTypeOf(ctx.state).toEqualTypeOf<{ searches: number; last?: string | undefined }>()
    expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>()
    expectTypeOf(ctx.abort).toEqualTypeOf<AbortSignal>()
    expectTypeOf(ctxRuntime(ctx)).toEqualTypeOf<Context>()
    ctx.state.searches++
    // @ts-expect-error Its schema has no such field.
    ctx.config.place
    // @ts-expect-error It is a number.
    ctx.state.searches = 'many'
    return ctx.state.searches
  },
})
expectTypeOf(owning.fn({})).resolves.toBeNumber()
runtime.register({ name: 'x', config, execute: (_, ctx) => ctx.config.region.length })
registerTool({ name: 'x', config, execute: (_, ctx) => ctx.config.region.length })
registerTool(globals, { name: 'x', config, execute: (_, ctx) => ctx.config.region.length })
defineTool('x', async () => ({ config, execute: (_, ctx) => ctx.config.region.length }))
defineTool({
  name: 'x',
  config: { type: 'object', properties: { region: { type: 'string' } } },
  state: { schema: { type: 'object' }, initial: { searches: 0 } },
  execute: (_, ctx) => {
    expectTypeOf(ctx.config).toEqualTypeOf<JsonObject>()
    expectTypeOf(ctx.state).toBeUnknown()
  },
})
// @ts-expect-error It begins with what its schema does not take.
defineTool({ name: 'x', state: { schema: state, initial: { searches: 'none' } }, execute: () => 1 })
// @ts-expect-error The result has another type.
defineTool({ name: 'x', outputSchema: z.string(), execute: () => 1 })
// @ts-expect-error Zod 3 provides no JSON Schema.
defineTool({ name: 'x', params: old.object({ text: old.string() }), execute: () => 1 })
// @ts-expect-error An object of schemas is not a schema.
defineTool({ name: 'x', params: { text: z.string() }, execute: () => 1 })
// @ts-expect-error There is no such role.
defineTool({ name: 'x', role: 'middlware', execute: () => 1 })

declare const tool: ToolDef
expectTypeOf(tool.frontmatter.tags).toEqualTypeOf<string[]>()
expectTypeOf(tool.frontmatter.params).toEqualTypeOf<JsonObject | undefined>()
expectTypeOf(tool.origin.via).toEqualTypeOf<'index' | 'disk' | 'bundle' | 'programmatic' | 'remote'>()
expectTypeOf(tool.content).toEqualTypeOf<(() => Promise<string>) | undefined>()

declare const thrown: unknown
if (isAgentAppsError(thrown)) {
  expectTypeOf(thrown).toEqualTypeOf<AgentAppsError>()
  expectTypeOf(thrown.code).toEqualTypeOf<ErrorCode>()
  expectTypeOf(thrown.position).toEqualTypeOf<{ line: number; column: number } | undefined>()
}

const reference = parseReference('x')
if (reference.kind === 'path') expectTypeOf(reference.fragment).toEqualTypeOf<string | undefined>()

expectTypeOf(compile)
  .parameter(0)
  .toExtend<{ paths?: readonly PathEntry[] | undefined; force?: boolean | undefined } | undefined>()
expectTypeOf((await compile()).counts).toEqualTypeOf<{
  files: number
  found: number
  shadowed: number
  skipped: number
}>()
expectTypeOf((await compile()).diagnostics[0]?.severity).toEqualTypeOf<
  'error' | 'warning' | 'info' | undefined
>()
expectTypeOf((await check({ fix: true, spec: true })).fixed).toEqualTypeOf<string[]>()
expectTypeOf((await clean({ dryRun: true })).removed).toEqualTypeOf<string[]>()
expectTypeOf((await loadConfig()).paths).toEqualTypeOf<PathEntry[]>()

expectTypeOf(matchPattern('a', 'b', ['c'])).toBeBoolean()
expectTypeOf(parsePatterns('a')).toEqualTypeOf<ToolRule[]>()
const call: ToolCall = { name: 'a', tags: [], args: {} }
expectTypeOf(isAllowed(undefined, call).answer).toBeBoolean()
expectTypeOf(trustOf([], call)?.answer).toEqualTypeOf<'allow' | 'ask' | 'deny' | undefined>()
expectTypeOf(pathGet({}, 'a')).toBeUnknown()
expectTypeOf(pathQuery({}, 'a')).toEqualTypeOf<unknown[]>()
expectTypeOf(pathKeys({}, ['a'])).toEqualTypeOf<Set<string>>()
expectTypeOf(pathSet({}, 'a', 1)).toBeVoid()
expectTypeOf(interpolate('a', { args: 1, env: { HOME: undefined } })).toBeUnknown()
expectTypeOf(interpolationPaths('a')).toEqualTypeOf<string[]>()
expectTypeOf(stringify(1n, { redact: ['a'], maxDepth: 1, maxBytes: 1 })).toBeString()
expectTypeOf(parse('1', { functions: true })).toBeUnknown()
expectTypeOf(safeSnapshot(1, 2, 3)).toBeUnknown()
expectTypeOf(transferableSerializerSource(['parse'])).toBeString()
// @ts-expect-error A tool's tags are a list.
matchPattern('a', 'b', 'c')
// @ts-expect-error A call has arguments.
isAllowed([], { name: 'a', tags: [] })
// @ts-expect-error There is no such root.
interpolate('a', { process })
// @ts-expect-error There is no such function.
transferableSerializerSource(['serialize'])
// @ts-expect-error Only mappings have keys to be named.
pathKeys('text', ['a'])

// @ts-expect-error There is no such layer.
createRuntime({ paths: [{ dir: 'x', layer: 'system' }] })
// @ts-expect-error There is no such freshness.
createRuntime({ paths: [], freshness: 'always' })
// @ts-expect-error A reference is a text.
findTool(5)
// @ts-expect-error There is no such code.
new AgentAppsError('NO_SUCH_CODE', 'x', { hint: 'y' })
// @ts-expect-error An error always says what to do.
new AgentAppsError('USAGE', 'x', {})
// @ts-expect-error A tool's details may be missing fields only where they say so.
tool.frontmatter.description.length
// @ts-expect-error There is no such option.
compile({ output: 'x' })
