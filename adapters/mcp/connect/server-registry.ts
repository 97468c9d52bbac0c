import type { Client, Tool } from '@modelcontextprotocol/client'
import {
  defineTool,
  type JsonObject,
  matchPattern,
  type RemoteSkill,
  type Runtime,
  whyUnshowable,
} from 'agent-apps'
import { isModelName, withDigest } from '../../model-names.js'
import { readPatterns } from '../../read-patterns.js'
import { callRemote, serverFault } from './call-remote.js'
import type { ConnectOptions } from './connect-options.js'
import { CONNECT_MS } from './open-client.js'
import { readSkills, type ServedSkill } from './remote-skills.js'
import type { ServerLink } from './server-link.js'

/** The limits of a server: characters of a description and of a schema, and the number of tools and skills. */
const LIMITS = { description: 4_000, schema: 256 * 1024, tools: 2_000 }

/** A tool or skill of a server. */
interface Offered {
  src: string
  name: string
  description: string
  title?: string | undefined
  /** The digest of the server's description of it. */
  digest: string
  params?: JsonObject
  skill?: RemoteSkill
}

/** The tools and skills of one server that are registered with a runtime. */
export class ServerRegistry {
  problems: readonly string[] = []
  readonly #registered = new Map<string, { digest: string; src: string; undo: () => void }>()
  readonly #select: readonly string[] | null
  #refreshing: Promise<void> = Promise.resolve()
  #isOver = false

  constructor(
    readonly runtime: Runtime,
    readonly link: ServerLink,
    readonly options: ConnectOptions,
  ) {
    this.#select = options.select === undefined ? null : readPatterns(options.select)
  }

  get names(): string[] {
    return [...this.#registered.keys()].sort()
  }

  clear(): void {
    this.#isOver = true
    for (const { undo } of this.#registered.values()) undo()
    this.#registered.clear()
  }

  /** Registers the server's current tools and skills. Unchanged ones stay registered. */
  refresh(client: Client): Promise<void> {
    const refreshing = this.#refreshing.then(() => this.#refresh(client))
    this.#refreshing = refreshing.catch(() => {
      // Its caller gets the error.
    })
    return refreshing
  }

  /** Refreshes run one after the other, so that the last list counts. */
  async #refresh(client: Client): Promise<void> {
    const problems: string[] = []
    const tools = await this.#tools(client, problems)
    const skills = await readSkills(client, this.link, problems)
    const offered = [...tools, ...(await Promise.all(skills.map(one => this.#ofSkill(one))))]
    if (offered.length > LIMITS.tools) problems.push(`Only ${LIMITS.tools} tools and skills are registered.`)
    const selected = offered.slice(0, LIMITS.tools).filter(one => this.#isSelected(one))
    const names = await localNames(this.link.options.server, selected, this.options.names ?? {})
    if (this.#isOver) return
    const wanted = new Map(selected.map(one => [names.get(one.src) as string, one]))
    for (const [name, { undo, src, digest }] of this.#registered) {
      const now = wanted.get(name)
      if (now?.src === src && now.digest === digest) continue
      undo()
      this.#registered.delete(name)
    }
    for (const [name, one] of wanted)
      if (!this.#registered.has(name)) await this.#register(name, one, problems)
    this.problems = problems
  }

  async #tools(client: Client, problems: string[]): Promise<Offered[]> {
    const { server } = this.link.options
    if (!client.getServerCapabilities()?.tools) return []
    const { tools } = await client
      .listTools({}, { timeout: CONNECT_MS, cacheMode: 'refresh' })
      .catch(error => {
        throw serverFault(server, error)
      })
    const offered = new Map<string, Offered>()
    for (const tool of tools) {
      const fault = faultOf(tool)
      const one = fault === null ? await this.#ofTool(tool) : null
      if (one && !offered.has(one.src)) offered.set(one.src, one)
      else {
        const problem = fault ?? 'another one has its name'
        problems.push(`The tool ${JSON.stringify(tool.name.slice(0, 80))} was left out: ${problem}.`)
      }
    }
    return [...offered.values()]
  }

  async #ofTool({ name, description = '', title, inputSchema }: Tool): Promise<Offered> {
    const { server } = this.link.options
    return {
      src: `mcp://${server}/${encodeURIComponent(name)}`,
      ...{ name, title, params: inputSchema as JsonObject },
      description: shortened(description || title || name),
      digest: await this.#digest([name, title ?? null, description, inputSchema]),
    }
  }

  async #ofSkill({ name, description, entry, skill }: ServedSkill): Promise<Offered> {
    return {
      src: `mcp://${this.link.options.server}/skill/${encodeURIComponent(name)}`,
      ...{ name, skill, description: shortened(description) },
      digest: await this.#digest(['skill', entry]),
    }
  }

  /** The digest that approvals are bound to: of the server and its whole description of a tool. */
  async #digest(described: unknown): Promise<string> {
    const { place, options } = this.link
    const where =
      typeof place === 'function' || 'callTool' in place
        ? null
        : 'url' in place
          ? String(place.url)
          : [place.command, place.args ?? [], place.cwd ?? null]
    const bytes = new TextEncoder().encode(JSON.stringify([options.server, where, described]))
    return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
  }

  #isSelected({ src, name }: Offered): boolean {
    return (
      this.#select === null ||
      this.#select.some(pattern => matchPattern(pattern, src) || matchPattern(pattern, name))
    )
  }

  /** Registers a tool, unless its name is taken. */
  async #register(name: string, one: Offered, problems: string[]): Promise<void> {
    const { runtime, link } = this
    if (await runtime.findTool(name).catch(() => true)) {
      problems.push(
        `${JSON.stringify(one.name.slice(0, 80))} was left out: there is a tool "${name}" already.`,
      )
      return
    }
    const { src, digest, description, title, params, skill } = one
    const tool = defineTool({
      ...{ name, description },
      execute: (args, context) => callRemote(link, one.name, args as JsonObject, context),
      ...(title !== undefined && { metadata: { title: shortened(title) } }),
      ...(params && { params }),
    })
    if (this.#isOver) return
    const undo = runtime.register(tool, { src, validate: 'owner', remote: { digest, skill } })
    this.#registered.set(name, { digest, src, undo })
  }
}

/** The reason why a tool cannot be registered; null if it can. */
function faultOf({ name, title, description, inputSchema }: Tool): string | null {
  const fault = whyUnshowable([name, title, description, inputSchema])
  if (fault) return fault.why
  return JSON.stringify(inputSchema).length > LIMITS.schema ? 'its schema is too large' : null
}

function shortened(text: string): string {
  return text.length <= LIMITS.description ? text : `${text.slice(0, LIMITS.description)}…`
}

/**
 * The names of a server's tools by URI: `mcp__<server>__<tool>`, as in other hosts. A name that models do not accept, or
 * that two tools would have, gets digits of a digest, which are the same in every process.
 */
async function localNames(
  server: string,
  tools: readonly Offered[],
  own: Readonly<Record<string, string>>,
): Promise<Map<string, string>> {
  const wanted = tools.map(({ src, name, skill }) => {
    const given = !skill && Object.hasOwn(own, name) ? own[name] : undefined
    return { src, name: given ?? `mcp__${server}__${skill ? 'skill__' : ''}${name}` }
  })
  const counts = new Map<string, number>()
  for (const { name } of wanted) counts.set(name, (counts.get(name) ?? 0) + 1)
  const found = new Map<string, string>()
  for (const { src, name } of wanted) {
    const isFine = isModelName(name) && counts.get(name) === 1
    found.set(src, isFine ? name : await withDigest(src, name))
  }
  return found
}
