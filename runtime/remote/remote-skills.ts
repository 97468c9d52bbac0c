import { disk } from '#disk'
import { type AgentAppsError, isAgentAppsError } from '../../src/base/error.js'
import type { ToolDetails } from '../../src/index/index-format.js'
import { ListedRecord } from '../../src/index/listed-record.js'
import { RELEASE_LIMITS, type ReleaseRecord } from '../../src/release/release-format.js'
import type { RemoteEntry } from '../../src/release/remote-entry.js'
import { codeIn, remoteFrontmatter } from '../../src/release/remote-frontmatter.js'
import type { SearchFile } from '../../src/search/search-file.js'
import { isName, labelOf } from '../../src/skill/names.js'
import type { Globals } from '../state/context.js'
import { addDiagnostic } from '../state/globals.js'
import type { RemoteSearch, RemoteSkills } from '../state/remote.js'
import type { ToolDef } from '../state/tool-def.js'
import { foreignFormat, notOnlyText, tooManyToList } from './remote-faults.js'
import { ByteCache, RemoteRelease } from './remote-release.js'

/** The memory that the files of all entries may take. */
const MEMORY = 64 * 1024 * 1024

/** Makes the skills of remote path entries. Fetches nothing before they are asked for. */
export function remoteSkills(entries: readonly RemoteEntry[], globals: Globals): RemoteSkills {
  const memory = new ByteCache(MEMORY)
  const all = entries.map(entry => new EntrySkills(new RemoteRelease(entry, memory), globals))
  return {
    async find(name) {
      if (!isName(name)) return null
      for (const one of all) {
        const tool = await one.find(name)
        if (tool) return tool
      }
      return null
    },
    async list(isOnly = false) {
      const [first] = all
      if (isOnly && first && all.length === 1) return first.list()
      return (await Promise.all(all.map(one => one.listOrNone()))).flat()
    },
    searches: async () => all,
  }
}

/** The most tools that are kept as objects. */
const TOOLS_KEPT = 20_000
/** After a fault, an entry is left out of lists and searches for so many milliseconds without being asked again. */
const PAUSE = 10_000

type Asked = 'Lists' | 'Searches'

/** The skills of one remote path entry. */
class EntrySkills implements RemoteSearch {
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

/** The facts about a tool that a list has. */
type ListedFacts = Pick<ReleaseRecord, 'kind' | 'file' | 'frontmatter'>

/**
 * Makes the tool of a published skill. Reads nothing.
 *
 * @param record loads its record, from which all is read that lists do not have
 */
function remoteTool(
  name: string,
  { kind, file, frontmatter }: ListedFacts,
  record: () => Promise<ReleaseRecord>,
  release: RemoteRelease,
): ToolDef {
  const { url } = release
  const why = codeIn(kind, frontmatter)
  const onlyText = async (): Promise<ReleaseRecord> => {
    const found = await record()
    const code = why ?? codeIn(found.kind, found.frontmatter) ?? found.code
    if (code !== null && code !== undefined) throw notOnlyText(name, url, code)
    return found
  }
  const content = async (): Promise<string> => textOf(await onlyText(), release)
  const source = async (): Promise<Uint8Array> => release.file(await onlyText())
  return {
    name,
    label: labelOf(name),
    kind,
    runs: why !== null,
    frontmatter: remoteFrontmatter(kind, frontmatter),
    fn: content,
    ...(kind !== 'code' && { content, source }),
    src: `${url}#${name}`,
    origin: { layer: 'remote', entry: url, file, via: 'remote', shadows: [] },
    digest: `${release.entry.integrity} ${name}`,
    published: {
      details: async () => detailsOf(await record()),
      async read(path) {
        const listed = (await onlyText()).resources.find(resource => resource.path === path)
        return listed ? release.file(listed) : null
      },
    },
  }
}

/** The text of a skill, with what it includes. A byte order mark inside content is content. */
async function textOf(
  { text, content = [0, 0], size, sha256 }: ReleaseRecord,
  release: RemoteRelease,
): Promise<string> {
  const bytes = text ? await release.file(text) : (await release.file({ size, sha256 })).subarray(...content)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

function detailsOf(record: ReleaseRecord): Required<ToolDetails> {
  const { verbatim, resources, references = [], placeholders = [], size, sha256 } = record
  return { verbatim, resources, references, placeholders, file: sha256 === '' ? null : { size, sha256 } }
}
