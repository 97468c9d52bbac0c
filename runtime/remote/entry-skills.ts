import { disk } from '#disk'
import { type AgentAppsError, isAgentAppsError } from '../../src/base/error.js'
import { ListedRecord } from '../../src/index/listed-record.js'
import { RELEASE_LIMITS, type ReleaseRecord } from '../../src/release/release-format.js'
import type { SearchFile } from '../../src/search/search-file.js'
import type { Globals } from '../state/context.js'
import { addDiagnostic } from '../state/globals.js'
import type { RemoteSearch } from '../state/remote.js'
import type { ToolDef } from '../state/tool-def.js'
import { foreignFormat, tooManyToList } from './remote-faults.js'
import type { RemoteRelease } from './remote-release.js'
import { type ListedFacts, remoteTool } from './remote-tool.js'

/** The most tools that are kept as objects. */
const TOOLS_KEPT = 20_000
/** After a fault, an entry is left out of lists and searches for so many milliseconds without being asked again. */
const PAUSE = 10_000

type Asked = 'Lists' | 'Searches'

/** The skills of one remote path entry. */
export class EntrySkills implements RemoteSearch {
  readonly #tools = new Map<string, ToolDef>()
  /** The names of rows of the search file that were asked for. */
  readonly #rows = new Map<number, string>()
  #listed: ToolDef[] | undefined
  #pausedUntil = 0

  constructor(
    private readonly release: RemoteRelease,
    private readonly globals: Globals,
  ) {}

  async find(name: string): Promise<ToolDef | null> {
    const found = await this.release.find(name)
    return found && this.#toolOf(found.name, found.record)
  }

  tool(row: number): Promise<ToolDef | null> {
    return this.#orLeftOut('Searches', async () => {
      const name = this.#rows.get(row) ?? (await this.release.withSearch(file => file.name(row)))
      if (this.#rows.size >= TOOLS_KEPT) this.#rows.clear()
      this.#rows.set(row, name)
      return this.find(name)
    })
  }

  /** Lists all tools. Throws REMOTE_TOO_LARGE for more than lists show, and the faults of loading. */
  async list(): Promise<ToolDef[]> {
    if (this.#listed) return this.#listed
    const { skills } = await this.release.header()
    if (skills > RELEASE_LIMITS.listed) throw tooManyToList(this.release.url, skills, RELEASE_LIMITS.listed)
    const columns = await this.release.list()
    this.#listed = columns.names.map((name, row) => this.#toolOf(name, new ListedRecord(columns, row)))
    return this.#listed
  }

  listed(): readonly ToolDef[] | null {
    return this.#listed ?? null
  }

  async listOrNone(): Promise<ToolDef[]> {
    return this.#listed ?? (await this.#orLeftOut('Lists', () => this.list())) ?? []
  }

  async ask<Answer>(work: (file: SearchFile) => Promise<Answer>): Promise<Answer | null> {
    // Its blocks are compared by a digest that this host cannot make at once.
    if (disk.digestOf(new Uint8Array()) === '')
      return this.#leaveOut('Searches', 'this host cannot make digests at once')
    return this.#orLeftOut('Searches', () => this.release.withSearch(work))
  }

  #toolOf(name: string, facts: ListedFacts): ToolDef {
    const known = this.#tools.get(name)
    if (known) return known
    if (this.#tools.size >= TOOLS_KEPT) this.#tools.clear()
    const tool = remoteTool(name, facts, () => this.#recordOf(name, facts), this.release)
    this.globals.stats.via.remote++
    this.#tools.set(name, tool)
    return tool
  }

  /** The record of a tool, which is not kept with it: memory holds what was last used. */
  async #recordOf(name: string, { kind }: ListedFacts): Promise<ReleaseRecord> {
    const found = await this.release.find(name)
    if (found?.name === name && found.record.kind === kind) return found.record
    throw foreignFormat(this.release.url, `has another "${name}" in its list than in its shards`)
  }

  async #orLeftOut<Answer>(asked: Asked, work: () => Promise<Answer>): Promise<Answer | null> {
    if (Date.now() < this.#pausedUntil) return null
    try {
      return await work()
    } catch (error) {
      if (!isAgentAppsError(error)) throw error
      if (error.code !== 'REMOTE_TOO_LARGE') this.#pausedUntil = Date.now() + PAUSE
      return this.#leaveOut(asked, (error as AgentAppsError).message)
    }
  }

  #leaveOut(asked: Asked, why: string): null {
    addDiagnostic(this.globals, {
      file: this.release.url,
      rule: 'remote-left-out',
      severity: 'warning',
      reason: `${asked} leave this path entry out: ${why.replace(/\.$/, '')}`,
      note: 'Its tools are still found by their names, once the server gives what was published.',
    })
    return null
  }
}
