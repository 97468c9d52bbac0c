import fs, {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  AgentAppsError,
  type Context,
  createRuntime,
  defineTool,
  type ErrorCode,
  emptyGlobals,
  findTool,
  interpolate,
  invoke,
  isAgentAppsError,
  parse,
  pathGet,
  type RuntimeOptions,
  registerTool,
  revokeTrusted,
  type Store,
} from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { check, compile, loadConfig, publish } from 'agent-apps/compiler'
import { exportSkills } from 'agent-apps/export'
import { connectMcp } from 'agent-apps/mcp'
import { conformance } from 'agent-apps/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withSum } from '../../runtime/approvals/user-lines.js'
import { calling, scriptedModel } from '../support/ai-model.js'
import { oneIn } from '../support/long.js'
import { withSpies } from '../support/with-spies.js'

const HEADINGS = [
  ...readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8').matchAll(/^## (.*)$/gm),
].map(([, heading = '']) => heading)

/** Codes that nothing but the named part throws, where its own tests provoke them. */
const ELSEWHERE: Partial<Record<ErrorCode, string>> = {
  RESULT_NOT_JSON: 'the command line',
  USAGE: 'the command line',
}

const CODE = "export const frontmatter = { name: 'a', description: 'Says where it lies.' }\n"
const SKILL = '---\nname: review\ndescription: Reviews a change.\n---\nLook.\n'

const SERVER_WITHOUT_LIST = `
import { createInterface } from 'node:readline'
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const { protocolVersion } = params ?? {}
  const serverInfo = { name: 'odd', version: '1' }
  const answer = method === 'initialize'
    ? { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } }
    : { error: { code: -32601, message: 'No such method' } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
`

/** Something that throws each code. A code without an entry, here or above, is a type error. */
const PROVOKE: Record<Exclude<ErrorCode, 'RESULT_NOT_JSON' | 'USAGE'>, (root: string) => Promise<unknown>> = {
  AGENT_FAILED: () => workedOn(calling('context-manager', { op: 'fail', reason: 'No change.' })),
  AGENT_LIMIT: () => workedOn(calling('context-manager', { op: 'drop', skill: 'none' })),
  AGENT_NO_RESULT: () => workedOn({ text: '', finish: 'content-filter' }),
  AGENT_UNKNOWN: async () => createRuntime({ paths: [] }).forAgent('nobody'),
  APPROVAL_DENIED: root =>
    gated(createRuntime({ paths: [join(root, 'skills')], library: false, interact: () => 'deny' })),
  APPROVAL_INVALID: root => runtimeOf(root).forAgent().answer('nothing', 'allow-once'),
  APPROVAL_KEY_INVALID: root => {
    const runtime = runtimeOf(root)
    registerTool(runtime.globals, {
      name: 'deploy',
      description: 'Deploys.',
      gated: true,
      deriveApprovalKey: () => {
        throw new Error('no key')
      },
      execute: () => 'deployed',
    })
    return runtime.forAgent().invoke('deploy')
  },
  APPROVAL_UNAVAILABLE: root => gated(runtimeOf(root)),
  APPROVAL_UNSIGNED: root => skillTools(runtimeOf(root), { approval: 'sdk' }),
  ARGS_INVALID: root => runtimeOf(root).invoke('review', { file: 'a.ts' }),
  BUNDLE_CODE: root => {
    write(root, 'skills/a.skill.js', `${CODE}export default () => import.meta.dirname\n`)
    return compile({ cwd: root, paths: ['skills'], bundle: 'agent.mjs' })
  },
  BUNDLE_NOT_WRITABLE: root => {
    write(root, 'skills/SKILL.md', SKILL)
    write(root, 'dist', 'A file, where the bundle wants a folder.')
    return compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' })
  },
  BUNDLE_PLACE: root => compile({ cwd: root, paths: ['.'], bundle: 'agent.mjs' }),
  BUNDLE_REPLACED: async root => {
    write(root, 'skills/SKILL.md', SKILL)
    const options = { cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' }
    await compile(options)
    const { runtime } = await import(pathToFileURL(join(root, 'dist/agent.mjs')).href)
    write(root, 'skills/SKILL.md', `${SKILL}Again.\n`)
    await compile(options)
    return runtime.invoke('review')
  },
  BUNDLE_UNCOMPILED: root => {
    write(root, 'skills/SKILL.md', SKILL)
    write(root, 'theirs/SKILL.md', SKILL)
    const paths = ['skills', { dir: 'theirs', external: true }]
    return compile({ cwd: root, paths, bundle: 'agent.mjs' })
  },
  CASCADE_INVALID: root => {
    write(root, 'SKILL.md', SKILL.replace('\n---', '\nmetadata: { $inherit: nobody }\n---'))
    return runtimeOf(root).invoke('review')
  },
  COMPILE_ABORTED: root => compile({ cwd: root, paths: ['.'], signal: AbortSignal.abort() }),
  CONFIG_INVALID: root => {
    write(root, 'agent-apps.config.json', '{ "paths": "skills" }')
    return loadConfig({ cwd: root })
  },
  CONFIG_NOT_FOUND: root => compile({ cwd: root, config: 'none.json' }),
  CONFORMANCE_FAILED: () => conformance({ name: 'now', execute: () => new Date() }),
  CONTENT_CYCLE: root => {
    write(root, 'SKILL.md', `${SKILL}:include[SKILL.md]\n`)
    return runtimeOf(root).render('review')
  },
  CONTENT_INVALID: root => {
    write(root, 'SKILL.md', `${SKILL}:::if{path=args.x}\n`)
    return runtimeOf(root).render('review')
  },
  CONTENT_MISSING: () => {
    const runtime = createRuntime({ paths: [] })
    registerTool(runtime.globals, { name: 'count', fn: () => 1 })
    return runtime.render('count')
  },
  CONTENT_NOT_COMPILED: root => {
    write(root, 'SKILL.md', `${SKILL}:skill[review]\n`)
    const { globals, render } = runtimeOf(root)
    return findTool('review', globals).then(() => {
      globals.parser = Promise.resolve(null)
      return render('review')
    })
  },
  CONTENT_TOO_LARGE: root => {
    const params = '\nmetadata: { params: { properties: { list: { type: array } } } }\n---\n'
    write(
      root,
      'SKILL.md',
      `${SKILL.replace('\n---\n', params)}:::each{path=args.list}\n${'a'.repeat(1000)}\n:::\n`,
    )
    return runtimeOf(root).render('review', { args: { list: Array(10_000).fill(0) } })
  },
  CONTEXT_MISSING: () =>
    defineTool({ name: 'again', execute: (_args, { invoke }) => invoke('review') }).fn(undefined),
  DEFINITION_INVALID: async () => defineTool({ name: 'again' } as never),
  DEPTH_EXCEEDED: root => {
    write(root, 'SKILL.md', SKILL.replace('\n---', '\nmetadata: { delegate: review }\n---'))
    return runtimeOf(root).invoke('review')
  },
  DIRECTIVE_FAILED: root => {
    write(root, 'SKILL.md', `${SKILL}:skill[reviw]\n`)
    return runtimeOf(root).render('review')
  },
  DIRECTORY_NOT_FOUND: root => compile({ cwd: root, paths: ['none'] }),
  EDIT_FAILED: async root => {
    write(root, 'a.txt', 'one')
    const runtime = createRuntime({ paths: [], workspace: root })
    await runtime.invoke('read', { path: 'a.txt' })
    await runtime.invoke('edit', { path: 'a.txt', old: 'two', new: 'three' })
  },
  EMBEDDER_FAILED: root => {
    write(root, 'skills/review/SKILL.md', SKILL)
    return createRuntime({ paths: ['skills'], cwd: root, search: { embed: () => [] } }).search('review')
  },
  EXPORT_CLASH: root => {
    write(root, 'a/review/SKILL.md', SKILL)
    write(root, 'b/review/SKILL.md', `${SKILL}Again.\n`)
    const paths = ['a', 'b'].map(dir => ({ dir, namespace: `of-${dir}` }))
    return exportSkills({ to: 'skills', dir: 'out', cwd: root, paths })
  },
  EXPORT_EMPTY: root =>
    exportSkills({ to: 'skills', dir: '../out', cwd: root, paths: ['.'], patterns: ['nobody'] }),
  EXPORT_FAILED: root => {
    write(root, 'skills/a.skill.js', CODE.concat('export default () => import.meta.dirname\n'))
    return exportSkills({ to: 'plugin', name: 'kit', dir: 'out', cwd: root, paths: ['skills'] })
  },
  EXPORT_PLACE: root => {
    write(root, 'skills/review/SKILL.md', SKILL)
    return exportSkills({ to: 'skills', dir: 'skills', cwd: root, paths: ['skills'] })
  },
  FETCH_FAILED: root => fetching(root, 'http://nobody.invalid/'),
  FETCH_REFUSED: root => fetching(root, 'http://127.0.0.1/'),
  FILE_CHANGED: async root => {
    write(root, 'a.txt', 'one')
    const runtime = createRuntime({ paths: [], workspace: root })
    await runtime.invoke('read', { path: 'a.txt' })
    write(root, 'a.txt', 'another')
    await runtime.invoke('write', { path: 'a.txt', content: 'two' })
  },
  FILE_NOT_FOUND: root => createRuntime({ paths: [], workspace: root }).invoke('read', { path: 'a.txt' }),
  FILE_NOT_READ: root => {
    write(root, 'a.txt', 'one')
    return createRuntime({ paths: [], workspace: root }).invoke('write', { path: 'a.txt', content: '' })
  },
  FILE_PROTECTED: root => {
    write(root, '.env', 'PASSWORD=1')
    return createRuntime({ paths: [], workspace: root }).invoke('read', { path: '.env' })
  },
  FILE_UNUSABLE: root => createRuntime({ paths: [], workspace: root }).invoke('read', { path: '.' }),
  FUNCTION_INVALID: async () => parse('{"$fn":"function () { [native code] }"}', { functions: true }),
  INDEX_LOCKED: root => {
    write(root, '.agent-apps/cache.lock', `${process.ppid} ${hostname()} ${Date.now()}\n`)
    let now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => {
      now += 61_000
      return now
    })
    return compile({ cwd: root, paths: ['.'] })
  },
  INDEX_NOT_WRITABLE: root => {
    write(root, '.agent-apps', 'A file, where the compiler wants a folder.')
    return compile({ cwd: root, paths: ['.'] })
  },
  INDEX_STALE: async root => {
    await compile({ cwd: root, paths: ['.'] })
    const tool = await runtimeOf(root).findTool('review')
    rmSync(join(root, 'SKILL.md'))
    return tool?.content?.()
  },
  INIT_FAILED: async () => {
    const runtime = createRuntime({ paths: [] })
    const init = () => Promise.reject(new Error('no connection'))
    runtime.register({ name: 'search', init, execute: () => 'found' })
    return runtime.invoke('search')
  },
  INLINE_INVALID: root => runtimeOf(root).findTool('inline://base64,%'),
  INTEGRITY_FAILED: async root => {
    await compile({ cwd: root, paths: ['.'] })
    write(root, 'SKILL.md', SKILL.replace('Look.', 'Leak.'))
    return createRuntime({ paths: ['.'], cwd: root, verify: true }).invoke('review')
  },
  LIMIT_EXCEEDED: async () => interpolate('${args.a}, again', { args: { a: 'a'.repeat(9 * 1024 * 1024) } }),
  MCP_FAILED: async root => {
    const path = join(root, 'server.mjs')
    writeFileSync(path, SERVER_WITHOUT_LIST)
    const place = { command: process.execPath, args: [path] }
    return connectMcp(createRuntime({ paths: [] }), place, { server: 'odd' })
  },
  MCP_UNAVAILABLE: root =>
    connectMcp(createRuntime({ paths: [] }), { command: join(root, 'none') }, { server: 'none' }),
  MIDDLEWARE_CONFIG: root => {
    write(root, 'SKILL.md', SKILL.replace('\n---', '\nmetadata: { timeout: soon }\n---'))
    return runtimeOf(root).invoke('review')
  },
  MODEL_MISSING: () => createRuntime({ paths: [] }).invoke('agent', { prompt: 'Look.' }),
  MODULE_MISSING: async root => {
    write(
      root,
      'count.skill.js',
      "export const frontmatter = { name: 'count', description: 'Counts.' }\nexport default () => 1\n",
    )
    await compile({ cwd: root, paths: ['.'] })
    const { globals, invoke } = runtimeOf(root)
    rmSync(join(root, '.agent-apps'), { recursive: true })
    globals.parser = Promise.resolve(null)
    return invoke('count')
  },
  INTERACTION_UNAVAILABLE: async root => {
    const runtime = runtimeOf(root)
    runtime.register({ name: 'asks', execute: (_, ctx) => ctx.ask({ kind: 'confirm', message: 'Go on?' }) })
    return runtime.invoke('asks')
  },
  JSON_INVALID: async () => parse('{'),
  NAME_INVALID: async () => registerTool(emptyGlobals(), { name: '', fn: () => null }),
  NEXT_TWICE: () => {
    const globals = emptyGlobals()
    const fn = (ctx: unknown): unknown => {
      const { next } = (ctx as Context).manager
      return next().then(next)
    }
    registerTool(globals, { name: 'twice', fn, role: 'middleware' })
    return invoke('twice', {}, globals)
  },
  NOT_EVALUATED: root => {
    write(root, 'agent-apps.config.mjs', "export default { paths: ['skills'].slice() }\n")
    return check({ cwd: root })
  },
  NO_SKILL_PATHS: root => compile({ cwd: root, paths: [{ dir: '.', external: true }] }),
  OPTIONS_INVALID: async () => createRuntime({ paths: './skills' as never }),
  PATH_INVALID: async () => pathGet({}, 'a.'),
  PUBLISH_REFUSED: root => publish({ cwd: root, paths: ['.'], to: join(root, '../public') }),
  REMOTE_CODE: root =>
    remotely(root, {}, SKILL.replace('---\nLook', 'metadata: { delegate: other }\n---\nLook')),
  REMOTE_FORMAT: root => remotely(root, { namespace: 'acme' }),
  REMOTE_MISSING: root => remotely(root, { fetch: async () => new Response('', { status: 404 }) }),
  REMOTE_TOO_LARGE: root =>
    remotely(root, { fetch: async () => new Response(new Uint8Array(9 * 1024 * 1024)) }),
  REMOTE_UNAVAILABLE: root => remotely(root, { fetch: async () => new Response('', { status: 503 }) }),
  RERANKER_FAILED: root => {
    write(root, 'skills/review/SKILL.md', SKILL)
    return createRuntime({ paths: ['skills'], cwd: root, search: { rerank: () => ({}) as never } }).search(
      'review',
    )
  },
  RESOURCE_NOT_FOUND: root => runtimeOf(root).readResource('review', '../secret.txt'),
  RESOURCE_UNREADABLE: async root => {
    write(root, 'SKILL.md', SKILL)
    write(root, 'notes.txt', 'Notes.')
    await compile({ cwd: root, paths: ['.'] })
    truncateSync(join(root, 'notes.txt'), 3 * 1024 ** 3)
    return runtimeOf(root).readResource('review', 'notes.txt')
  },
  RUNTIME_CLOSED: async root => {
    const runtime = runtimeOf(root)
    await runtime.close()
    return runtime.findTool('review')
  },
  RUN_ABORTED: root => runtimeOf(root).invoke('review', {}, { signal: AbortSignal.abort() }),
  RESULT_INVALID: async () => {
    const globals = emptyGlobals()
    registerTool(globals, { name: 'count', returns: { type: 'number' }, fn: () => 'one' })
    return invoke('count', {}, globals)
  },
  SCHEMA_INVALID: async () => {
    const globals = emptyGlobals()
    registerTool(globals, { name: 'count', params: { type: 'nothing' }, fn: () => 1 })
    return invoke('count', {}, globals)
  },
  SCHEMA_UNSUPPORTED: async () => {
    const params = { '~standard': { version: 1 as const, vendor: 'none', validate: () => ({ value: null }) } }
    return registerTool(defineTool({ name: 'count', params: params as never, execute: () => null }))
  },
  STATE_CONFLICT: async root => {
    const store: Store = {
      get: async () => null,
      set: async key => {
        throw new AgentAppsError('STATE_CONFLICT', `${key} was changed.`, { hint: 'Read it again.' })
      },
      delete: async () => {},
    }
    return stateful({ paths: [root], store }, 1)
  },
  REVOKE_FAILED: async root => {
    vi.stubEnv('XDG_STATE_HOME', join(root, 'state'))
    const project = join(root, 'project')
    const trusted = await withSum({ root: project, digest: '0', at: 'today' })
    write(root, 'state/agent-apps/trust.jsonl', `${JSON.stringify(trusted)}\n`)
    chmodSync(join(root, 'state/agent-apps/trust.jsonl'), 0o600)
    // A disk that takes nothing, and does not say so.
    const spy = vi.spyOn(fs, 'appendFileSync').mockImplementation(() => {})
    return withSpies([spy], () => revokeTrusted(project))
  },
  STATE_INVALID: root => stateful({ paths: [root] }, 'one'),
  TOOL_INACTIVE: async root => {
    const runtime = runtimeOf(root)
    await runtime.deactivate('review')
    return runtime.invoke('review')
  },
  TOOL_BROKEN: root => {
    write(root, 'SKILL.md', '---\nname: review\n')
    return runtimeOf(root).invoke('review')
  },
  PATH_OUTSIDE: root => createRuntime({ paths: [], workspace: root }).invoke('read', { path: '../a.txt' }),
  PATTERN_REFUSED: root => createRuntime({ paths: [], workspace: root }).invoke('grep', { pattern: '(a' }),
  TOOL_CONFIG: async root => {
    const config = { tools: { plain: { region: 'eu' } } }
    const runtime = createRuntime({ paths: [root], library: false, config })
    runtime.register({ name: 'plain', execute: () => 1 })
    return runtime.invoke('plain')
  },
  PERMISSION_MISSING: root => {
    const runtime = runtimeOf(root)
    registerTool(runtime.globals, { name: 'save', permissions: { required: ['write'] }, fn: () => 1 })
    return runtime.forAgent().invoke('save')
  },
  TOOL_DENIED: root => runtimeOf(root).forAgent({ allowedTools: 'other' }).invoke('review'),
  TOOL_TIMEOUT: () => {
    const globals = createRuntime({ paths: [] }).globals
    registerTool(globals, { name: 'slow', fn: () => new Promise(() => {}), metadata: { timeout: 5 } })
    return invoke('slow', {}, globals)
  },
  WORKSPACE_MISSING: root =>
    createRuntime({ paths: [], workspace: join(root, 'missing') }).invoke('read', { path: 'a.txt' }),
  TOOL_NOT_FOUND: root => runtimeOf(root).invoke('reviw'),
}

let root: string
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'agent-apps-errors-')), 'review')
  write(root, 'SKILL.md', SKILL)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(dirname(root), { recursive: true, force: true })
})

describe('docs/errors.md', () => {
  it('has a section for each code, sorted, and no other', () => {
    expect(HEADINGS).toEqual([...Object.keys(PROVOKE), ...Object.keys(ELSEWHERE)].sort())
  })

  it.each(oneIn(3, Object.entries(PROVOKE)))('%s is thrown, with what to do', async (code, provoke) => {
    const error: unknown = await provoke(root).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(isAgentAppsError(error) && { code: error.code, hint: error.hint.length > 0 }).toEqual({
      code,
      hint: true,
    })
  })

  it('tells what findTool gives in the place of TOOL_BROKEN and TOOL_NOT_FOUND', async () => {
    write(root, 'SKILL.md', '---\nname: review\n')
    const runtime = runtimeOf(root)
    expect(await runtime.findTool('review')).toBeNull()
    expect(await runtime.findTool('reviw')).toBeNull()
    expect(runtime.diagnostics().map(({ rule }) => rule)).toEqual(['frontmatter-unclosed'])
    await expect(findTool('./SKILL.md', runtime.globals)).rejects.toMatchObject({
      code: 'TOOL_BROKEN',
      file: join(root, 'SKILL.md'),
      position: { line: 1, column: 1 },
    })
  })
})

/** A call of a tool that needs approval. */
function gated(runtime: ReturnType<typeof createRuntime>): Promise<unknown> {
  registerTool(runtime.globals, { name: 'save', gated: true, fn: () => 1 })
  return runtime.forAgent().invoke('save')
}

/** The tool `agent` with a model that takes one step again and again. */
function workedOn(step: Parameters<typeof scriptedModel>[0]): Promise<unknown> {
  const model = scriptedModel(...Array.from({ length: 20 }, () => step))
  return createRuntime({ paths: [], models: { default: model } }).invoke('agent', { prompt: 'Look.' })
}

/** Calls a published skill, whose files are fetched from the folder that they were published to. */
async function remotely(root: string, entry: object, text = SKILL): Promise<unknown> {
  const to = join(root, '../public')
  write(root, 'skills/review/SKILL.md', text)
  await compile({ cwd: root, paths: ['skills'] })
  const { pin: integrity } = await publish({ cwd: root, paths: ['skills'], to })
  const url = 'https://skills.example.com/'
  const fetch = async (asked: string) => new Response(readFileSync(join(to, asked.slice(url.length))))
  return createRuntime({ paths: [{ url, integrity, fetch, ...entry }] }).invoke('review')
}

/** Fetches a URL with the library's tool. */
function fetching(cwd: string, url: string): Promise<unknown> {
  return createRuntime({ paths: [], workspace: cwd }).invoke('webfetch', { url })
}

/** Calls a tool that leaves `count` in its state, which must be a number. */
function stateful(options: RuntimeOptions, count: unknown): Promise<unknown> {
  const runtime = createRuntime({ ...options, library: false })
  runtime.register({
    name: 'counts',
    state: { schema: { type: 'object', properties: { count: { type: 'number' } } }, initial: {} },
    execute: (_, ctx) => {
      ctx.state = { count }
    },
  })
  return runtime.invoke('counts', {}, { sessionId: 's' })
}

function runtimeOf(cwd: string): ReturnType<typeof createRuntime> {
  return createRuntime({ paths: ['.'], cwd, freshness: 'trust' })
}

function write(directory: string, path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}
