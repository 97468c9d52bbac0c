import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compile } from 'agent-apps/compiler'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installInto } from '../support/code-project.js'
import { ROOT, runCode } from '../support/processes.js'
import { temporary } from '../support/temporary.js'

const CLI = join(ROOT, 'dist/cli/main.js')

/** A copy of an example, where this package is installed. */
function project(name: string): string {
  const root = temporary()
  cpSync(join(ROOT, 'examples', name), root, { recursive: true })
  installInto(root)
  return root
}

/** Runs the command that the package's build script is; gives what it printed. */
function build(folder: string): string {
  const { scripts } = packageOf(folder)
  expect(scripts.build).toMatch(/^agent-apps compile /)
  return execFileSync(process.execPath, [CLI, ...scripts.build.split(' ').slice(1)], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
  })
}

function packageOf(folder: string): { scripts: Record<'build' | 'package', string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** A folder that holds these files of a project that was built, and nothing else. */
function deployed(root: string, items: readonly string[]): string {
  const folder = temporary()
  for (const item of items) cpSync(join(root, item), join(folder, item), { recursive: true })
  return folder
}

it('has one answer for all hosts', () => {
  const [first, ...others] = ['container', 'serverless', 'edge-worker'].map(name =>
    readFileSync(join(ROOT, 'examples', name, 'answer.mjs'), 'utf8'),
  )
  for (const other of others) expect(other).toBe(first)
})

describe('examples/container', () => {
  let folder: string
  beforeAll(() => {
    const root = project('container')
    build(root)
    const [, lastStage = ''] = readFileSync(join(root, 'Dockerfile'), 'utf8').split(/^FROM .*-slim$/m)
    const copied = [...lastStage.matchAll(/^COPY (?:--from=build )?(.*) \S+$/gm)].flatMap(([, items = '']) =>
      items.split(' ').map(item => item.replace('/app/', '')),
    )
    expect(copied).toEqual(['dist', 'server.mjs', 'answer.mjs'])
    folder = deployed(root, copied)
  })

  let server: ChildProcess | undefined
  afterEach(() => void server?.kill('SIGKILL'))

  /** Starts the server; gives its port. */
  async function start(): Promise<number> {
    server = spawn(process.execPath, ['server.mjs'], {
      cwd: folder,
      env: { PATH: process.env.PATH, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [said] = await once(server.stdout as NodeJS.EventEmitter, 'data')
    return Number(/^listening on (\d+)$/m.exec(String(said))?.[1])
  }

  async function ask(port: number, body: string): Promise<[number, unknown]> {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
    return [response.status, await response.json()]
  }

  it('answers, and says whose mistake it was', async () => {
    const port = await start()
    expect(await ask(port, '{"tool":"reading-time","args":{"text":"one two three"}}')).toEqual([
      200,
      { result: { words: 3, minutes: 1 } },
    ])
    const [status, { result }] = (await ask(port, '{"tool":"plain-words"}')) as [
      number,
      { result: { content: string } },
    ]
    expect([status, result.content]).toEqual([200, expect.stringContaining('- use, not utilise')])
    for (const [body, expected, code] of [
      ['{"tool":"reading-time","args":{}}', 400, 'ARGS_INVALID'],
      ['{"tool":"no-such-tool"}', 404, 'TOOL_NOT_FOUND'],
      ['{"tool":"./skills/SKILL.md"}', 403, 'TOOL_DENIED'],
      ['null', 400, 'REQUEST_INVALID'],
      ['{"tool":7}', 400, 'REQUEST_INVALID'],
      ['{"tool":"timeout","args":5}', 404, 'TOOL_NOT_FOUND'],
      ['', 400, 'REQUEST_INVALID'],
      ['{', 400, 'REQUEST_INVALID'],
    ] as const)
      expect(await ask(port, body)).toEqual([
        expected,
        { error: { code, message: expect.stringMatching(/\w/) } },
      ])
  })

  it('refuses a request that is too long', async () => {
    const port = await start()
    const body = 'x'.repeat(2 * 1024 * 1024)
    const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
    expect(status).toBe(413)
  })

  it('goes on where a caller breaks off', async () => {
    const port = await start()
    const body = '{"tool":"reading-time","args":{"text":"one"}}'
    const broken = request({ port, method: 'POST', headers: { 'content-length': 100 } })
    broken.on('error', () => {})
    broken.write('{"tool":')
    // So that the server has begun to read it.
    await ask(port, body)
    broken.destroy()
    for (const answer of [await ask(port, body), await ask(port, body)])
      expect(answer).toEqual([200, { result: { words: 1, minutes: 1 } }])
  })

  it('answers what was asked before SIGTERM, and ends', async () => {
    const port = await start()
    const body = '{"tool":"reading-time","args":{"text":"one"}}'
    const asked = request({ port, method: 'POST', headers: { 'content-length': body.length } })
    const answered = once(asked, 'response')
    asked.write(body.slice(0, 10))
    // So that the server has begun to read it.
    await ask(port, body)
    const ended = once(server as ChildProcess, 'exit')
    server?.kill('SIGTERM')
    await expect.poll(() => ask(port, body).catch(() => 'closed'), { timeout: 30_000 }).toBe('closed')
    asked.end(body.slice(10))
    const [response] = await answered
    expect(response.statusCode).toBe(200)
    response.resume()
    expect(await ended).toEqual([0, null])
  })
})

it('examples/serverless answers without its project, the second time from what is loaded', () => {
  const root = project('serverless')
  build(root)
  const [, items = ''] = /^zip -r \S+ (.*)$/.exec(packageOf(root).scripts.package) ?? []
  const folder = deployed(root, items.split(' '))
  expect(readdirSync(folder).sort()).toEqual(['answer.mjs', 'dist', 'handler.mjs'])
  const url = (file: string): string => JSON.stringify(pathToFileURL(join(folder, file)).href)
  const lines = '{"lines":[{"cents":1000,"count":2},{"cents":50}]}'
  const said = runCode(`
    const { handler } = await import(${url('handler.mjs')})
    const { runtime } = await import(${url('dist/agent.mjs')})
    const answers = []
    const via = []
    const ask = async (body, isBase64Encoded) => {
      answers.push(await handler({ body, isBase64Encoded }))
      via.push(runtime.stats().via.bundle)
    }
    await ask('{"tool":"invoice-total","args":${lines}}')
    await ask(btoa('{"tool":"invoice-total","args":${lines}}'), true)
    await ask('{"tool":"invoice-total","args":{"lines":[]}}')
    await ask('{"tool":"invoice-total","args":{"lines":[{"cents":1},{"cents":1,"currency":"CHF"}]}}')
    await ask(undefined)
    await ask('{"tool":"late-payment"}')
    console.log(JSON.stringify({ answers, via, disk: runtime.stats().via.disk, parser: runtime.stats().parser }))
  `)
  const { answers, ...stats } = JSON.parse(said)
  expect(stats).toEqual({ via: [1, 1, 1, 1, 1, 2], disk: 0, parser: 'unused' })
  const total = { result: { net: 2050, gross: 2440, currency: 'EUR' } }
  const shown = answers.map(({ statusCode, body }: { statusCode: number; body: string }) => [
    statusCode,
    JSON.parse(body),
  ])
  expect(shown).toEqual([
    [200, total],
    [200, total],
    [400, { error: { code: 'ARGS_INVALID', message: expect.stringContaining('lines') } }],
    // What a tool throws is for the log.
    [500, { error: { code: 'CURRENCIES_DIFFER', message: 'The tool failed.' } }],
    [400, { error: { code: 'REQUEST_INVALID', message: expect.stringContaining('not JSON') } }],
    [200, { result: expect.stringContaining('Ask three times') }],
  ])
})

it('examples/edge-worker answers requests', async () => {
  const root = project('edge-worker')
  build(root)
  const { main } = JSON.parse(readFileSync(join(root, 'wrangler.json'), 'utf8'))
  const folder = deployed(root, [main, 'answer.mjs', 'dist'])
  const worker: { default: { fetch: (request: Request) => Promise<Response> } } = await import(
    pathToFileURL(join(folder, main)).href
  )
  const ask = async (body: string): Promise<[number, unknown]> => {
    const response = await worker.default.fetch(new Request('http://localhost/', { method: 'POST', body }))
    return [response.status, await response.json()]
  }
  const choose = (args: object) => ask(JSON.stringify({ tool: 'choose-language', args }))
  expect(await choose({ accepted: 'de-CH;q=0.8, fr' })).toEqual([200, { result: 'fr' }])
  expect(await choose({ accepted: 'pl, *;q=0.1' })).toEqual([200, { result: 'en' }])
  expect(await choose({ accepted: 7 })).toMatchObject([400, { error: { code: 'ARGS_INVALID' } }])
  expect(await ask('{')).toMatchObject([400, { error: { code: 'REQUEST_INVALID' } }])
})

describe('examples/monorepo', () => {
  const packages = ['packages/shared-skills', 'apps/desk', 'apps/phone', 'apps/stock']
  let root: string
  beforeAll(() => {
    root = project('monorepo')
    for (const name of packages) build(join(root, name))
  })

  it('is made of all its packages', () => {
    const here = ['packages', 'apps'].flatMap(folder =>
      readdirSync(join(ROOT, 'examples/monorepo', folder)).map(name => `${folder}/${name}`),
    )
    expect(here.sort()).toEqual([...packages].sort())
  })

  it('bundles shared skills into the applications that use them', async () => {
    const load = (name: string) =>
      import(pathToFileURL(join(deployed(join(root, 'apps', name), ['dist']), 'dist/agent.mjs')).href)
    const phone = await load('phone')
    expect(await phone.tools['call-back']({ day: 'saturday' })).toBe('We call you on saturday, 10:00–14:00.')
    const desk = await load('desk')
    expect(await desk.tools['opening-hours']({ day: 'sunday' })).toBe('closed')
    expect(await desk.runtime.render('reply')).toContain('plain-words')
    const stock = await load('stock')
    expect(stock.tools).not.toHaveProperty('opening-hours')
    expect(await stock.tools.reorder({ left: 3, weekly: 2 })).toBe(5)
  })

  it('is up to date in another checkout that has the outputs and no cache of the compiler', async () => {
    const elsewhere = project('monorepo')
    for (const name of packages) {
      for (const output of outputsIn(join(root, name))) {
        mkdirSync(dirname(join(elsewhere, name, output)), { recursive: true })
        cpSync(join(root, name, output), join(elsewhere, name, output))
      }
      const folder = join(elsewhere, name)
      expect(existsSync(join(folder, 'skills/.agent-apps/cache.json'))).toBe(false)
      expect((await compile({ cwd: folder, check: true })).outdated).toEqual([])
      const before = timesIn(folder)
      expect(before).toHaveProperty(['skills/.agent-apps.json'])
      build(folder)
      expect(timesIn(folder)).toEqual(before)
    }
  })
})

/** The files that are outputs of a package, as `turbo.json` lists them. */
function outputsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    path =>
      /^(?:dist\/|\.agent-apps\/project\.json$|skills\/\.agent-apps[./])(?!cache)/.test(path) &&
      statSync(join(folder, path)).isFile(),
  )
}

/** When each of them was written. */
function timesIn(folder: string): Record<string, number> {
  return Object.fromEntries(outputsIn(folder).map(path => [path, statSync(join(folder, path)).mtimeMs]))
}
