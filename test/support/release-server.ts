import { hash } from 'node:crypto'
import { createReadStream, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type AgentAppsError, isAgentAppsError } from 'agent-apps'
import { compile, publish } from 'agent-apps/compiler'
import { afterEach } from 'vitest'
import { temporary } from './temporary.js'
import { makeTree, type Tree } from './tree.js'

/** Answers a request in the server's place, and returns true if it did. */
type Answer = (path: string, response: ServerResponse, request: IncomingMessage) => boolean

export interface ReleaseServer {
  url: string
  /** The paths that were asked for, without a slash at their beginning, each with its range. */
  requests: string[]
  /** An attack: set by a test. */
  answer?: Answer
}

const servers: Server[] = []

/** Serves a folder on this machine, with ranges, until the test ends. */
export async function serve(directory: string, hasRanges = true): Promise<ReleaseServer> {
  const served: ReleaseServer = { url: '', requests: [] }
  const server = createServer((request, response) => {
    const path = (request.url ?? '').slice(1)
    const { range } = request.headers
    served.requests.push(range ? `${path} ${range}` : path)
    if (served.answer?.(path, response, request)) return
    const file = join(directory, path)
    const size = statSync(file, { throwIfNoEntry: false })?.size
    if (size === undefined) return void response.writeHead(404).end()
    const [, start = 0, end = 0] = (hasRanges && /^bytes=(\d+)-(\d+)$/.exec(range ?? '')) || []
    if (end === 0) return void createReadStream(file).pipe(response.writeHead(200))
    response.writeHead(206, { 'content-range': `bytes ${start}-${end}/${size}` })
    createReadStream(file, { start: Number(start), end: Number(end) }).pipe(response)
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return served
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

export interface Published {
  /** The folder of the release. */
  to: string
  pin: string
  /** The directory of skills. */
  skills: string
}

/** Compiles a tree of skills and publishes it. */
export async function published(tree: Tree, namespace?: string, to = temporary()): Promise<Published> {
  const skills = makeTree(tree)
  const paths = [namespace === undefined ? skills : { dir: skills, namespace }]
  await compile({ paths })
  const { pin } = await publish({ paths, to })
  return { to, pin, skills }
}

/** Writes a release as a hostile publisher may: with another header or other shards, and a pin of its own. */
export function craft(
  { to, pin }: Published,
  change: { header?: object; record?: (name: string, record: Record<string, unknown>) => unknown },
): string {
  const read = (path: string) => JSON.parse(readFileSync(join(to, path), 'utf8'))
  const write = (folder: string, value: object, digits: number, end: string): string => {
    const text = JSON.stringify(value)
    const digest = hash('sha256', text).slice(0, digits)
    writeFileSync(join(to, folder, digest + end), text)
    return digest
  }
  const header = read(`h/${pin.slice('sha256-'.length)}.json`)
  const shards = header.shards.map((digest: string) => {
    const entries = Object.entries<Record<string, unknown>>(read(`s/${digest}`))
    const changed = entries.map(([name, record]) => [name, change.record?.(name, record) ?? record])
    return write('s', Object.fromEntries(changed), 32, '')
  })
  return `sha256-${write('h', { ...header, shards, ...change.header }, 64, '.json')}`
}

/** The error of work that must fail. */
export async function failure(work: Promise<unknown>): Promise<AgentAppsError> {
  const error: unknown = await work.then(
    () => new Error('It did not fail.'),
    thrown => thrown,
  )
  if (isAgentAppsError(error)) return error
  throw error
}
