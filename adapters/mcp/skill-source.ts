import {
  DIRECTORY_MIME_TYPE,
  SKILL_LIMITS,
  type Skill,
  type SkillSource,
} from '@modelcontextprotocol/server/ext/skills'
import { type AgentOptions, type AgentRuntime, type Runtime, type ToolDef, whyUnshowable } from 'agent-apps'
import { isAgentAppsError } from 'agent-apps/runtime'
import { byKey, pageOf } from './pages.js'
import { placesOf, skillUri } from './skill-uris.js'

/** The options of `skillSource`. */
export interface SkillSourceOptions {
  /** The limits of the clients: those of an agent, or the id of a named one. Default: the runtime's policy. */
  policy?: AgentOptions | string | undefined
  /** Called with each skill that is not served, and the reason; possibly more than once. */
  onRefused?: ((uri: string, reason: string) => void) | undefined
}

/** A folder skill with the data of its entry. */
interface Described {
  tool: ToolDef
  verbatim: Record<string, unknown>
  /** Its other files, by path in its folder. */
  resources: readonly { path: string; size: number; sha256: string }[]
  /** Its SKILL.md. */
  file: { size: number; sha256: string } | null
}

/** The most skills that are listed as resources, which cannot be paged; `skills/list` lists all. */
const RESOURCES_MAX = 1000

/**
 * A runtime's folder skills for the SDK's `SkillsExtension`. Listings come from the index: a skill is read only when a client
 * reads it.
 *
 * @throws AGENT_UNKNOWN
 */
export function skillSource(runtime: Runtime, options: SkillSourceOptions = {}): SkillSource {
  const source = new RuntimeSkills(runtime.forAgent(options.policy ?? {}), options.onRefused ?? (() => {}))
  return {
    list: ({ cursor }) => source.list(cursor),
    get: uri => source.get(uri),
    read: uri => source.read(uri),
    readDirectory: (uri, { cursor }) => source.readDirectory(uri, cursor),
    listResources: () => source.listResources(),
  }
}

type Page<Key extends string, Item> = Record<Key, Item[]> & { nextCursor?: string }
type Resource = Awaited<ReturnType<NonNullable<SkillSource['listResources']>>>[number]

class RuntimeSkills {
  /** The skills at the start of the last listing, for all of its pages. */
  #listed: ToolDef[] | null = null
  /** The names with a namespace, from the last look-up. */
  #qualified: ReadonlySet<string> | null = null

  constructor(
    private readonly agent: AgentRuntime,
    private readonly refuse: (uri: string, reason: string) => void,
  ) {}

  async list(cursor: string | undefined): Promise<Page<'skills', Skill>> {
    if (cursor === undefined || this.#listed === null) this.#listed = await this.#folders()
    const { items, ...more } = pageOf(this.#listed, uriOf, cursor)
    const entries = await Promise.all(items.map(({ name }) => this.#entry(name)))
    return { skills: entries.filter(entry => entry !== undefined), ...more }
  }

  async get(uri: string): Promise<Skill | undefined> {
    for (const { name, path } of placesOf(uri)) {
      const entry = path === 'SKILL.md' ? await this.#entry(name) : undefined
      if (entry) return entry
    }
    return undefined
  }

  async read(uri: string): ReturnType<SkillSource['read']> {
    for (const { name, path } of placesOf(uri)) {
      const found = await this.#describe(name)
      if (!found || (await this.#needsApproval(found.tool))) continue
      const bytes = await this.agent
        .readResource(name, path === 'SKILL.md' ? fileOf(found.tool) : path)
        .catch(noFile)
      if (bytes) return { ...contentOf(bytes), mimeType: mediaType(path) }
    }
    return undefined
  }

  async readDirectory(
    uri: string,
    cursor: string | undefined,
  ): Promise<Page<'resources', Resource> | undefined> {
    for (const { name, path } of placesOf(uri)) {
      const found = await this.#describe(name)
      const children = found && childrenOf(found, path)
      if (!children?.length) continue
      const { items, ...more } = pageOf(children, child => child.uri, cursor)
      return { resources: items, ...more }
    }
    return undefined
  }

  async listResources(): Promise<Resource[]> {
    const skills = await this.#folders()
    if (skills.length > RESOURCES_MAX) return []
    const shown = skills.filter(({ name, frontmatter }) => unshowable(name, frontmatter.description) === null)
    return shown.map(tool => ({
      uri: uriOf(tool),
      name: tool.name,
      ...(tool.frontmatter.description !== undefined && { description: tool.frontmatter.description }),
      mimeType: mediaType('SKILL.md'),
    }))
  }

  async #folders(): Promise<ToolDef[]> {
    const skills = (await this.agent.listTools()).filter(isSkill).sort(byKey(uriOf))
    this.#qualified = new Set(skills.flatMap(({ name }) => (name.includes(':') ? [name] : [])))
    return skills
  }

  /** The entry of a skill; undefined if it cannot be served. */
  async #entry(name: string): Promise<Skill | undefined> {
    const found = await this.#describe(name)
    if (!found) return undefined
    const uri = skillUri(name)
    const reason = tooMuch(found) ?? unshowable(name, found.verbatim) ?? (await this.#withheld(found))
    if (reason !== null || !found.file) {
      this.refuse(uri, reason ?? 'it has no file')
      return undefined
    }
    const files = [
      { uri, ...found.file },
      ...found.resources.map(({ path, size, sha256 }) => ({ uri: skillUri(name, path), size, sha256 })),
    ]
    const resources = files
      .map(({ uri, size, sha256 }) => ({ uri, digest: `sha256:${sha256}`, size }))
      .sort(byKey(({ uri }) => uri))
    // The extension validates the frontmatter.
    return { uri, frontmatter: found.verbatim, resources } as Skill
  }

  /** The reason why a skill is not served; null if it is. */
  async #withheld(found: Described): Promise<string | null> {
    if (await this.#needsApproval(found.tool)) return 'opening it needs approval'
    return (await this.#isShadowed(found)) ? 'its files have the URIs of a skill in a namespace' : null
  }

  /** True if a file of a skill `acme` has the URI of a skill in the namespace `acme`: `skill://acme/deploy/…`. */
  async #isShadowed({ tool, resources }: Described): Promise<boolean> {
    if (this.#qualified === null) await this.#folders()
    return resources.some(({ path }) => this.#qualified?.has(`${tool.name}:${path.replace(/\/.*/s, '')}`))
  }

  /** The folder skill with exactly this name. */
  async #describe(name: string): Promise<Described | null> {
    const described = await this.agent.describe(name).catch(noFile)
    return described && described.tool.name === name && isSkill(described.tool) ? described : null
  }

  /** True for a skill that needs approval, which reading its file must not bypass. */
  async #needsApproval({ name, frontmatter }: ToolDef): Promise<boolean> {
    try {
      return (await this.agent.authorize(name)).decision !== 'allow'
    } catch (error) {
      if (!isAgentAppsError(error) || error.code !== 'ARGS_INVALID') throw error
      return frontmatter.metadata.gated === true
    }
  }
}

function isSkill({ kind, origin }: ToolDef): boolean {
  return kind === 'folder' && origin.layer !== 'bundled'
}

function uriOf({ name }: ToolDef): string {
  return skillUri(name)
}

function fileOf({ origin }: ToolDef): string {
  return origin.file.replace(/^.*\//, '')
}

function unshowable(name: string, content: unknown): string | null {
  return whyUnshowable([name, content])?.why ?? null
}

function tooMuch({ resources, file }: Described): string | null {
  if (resources.length + 1 > SKILL_LIMITS.files) return `it has more than ${SKILL_LIMITS.files} files`
  const bytes = resources.reduce((sum, { size }) => sum + size, file?.size ?? 0)
  return bytes > SKILL_LIMITS.bytes ? `it has more than ${SKILL_LIMITS.bytes} bytes` : null
}

/** The direct children of a folder in a skill's folder: folders and files. */
function childrenOf({ tool, resources, file }: Described, folder: string): Resource[] {
  const start = folder === '' ? '' : `${folder}/`
  const own = file ? [{ path: 'SKILL.md', size: file.size }] : []
  const children = new Map<string, Resource>()
  for (const { path, size } of [...own, ...resources]) {
    if (!path.startsWith(start)) continue
    const [name = '', ...inside] = path.slice(start.length).split('/')
    const uri = skillUri(tool.name, start + name)
    children.set(
      uri,
      inside.length > 0
        ? { uri, name, mimeType: DIRECTORY_MIME_TYPE }
        : { uri, name, mimeType: mediaType(name), size },
    )
  }
  return [...children.values()].sort(byKey(({ uri }) => uri))
}

/** Text if the bytes are valid UTF-8. */
function contentOf(bytes: Uint8Array): { text: string } | { bytes: Uint8Array } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { bytes }
  }
}

function noFile(error: unknown): null {
  if (isAgentAppsError(error) && (error.code === 'TOOL_NOT_FOUND' || error.code === 'RESOURCE_NOT_FOUND'))
    return null
  throw error
}

const TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  txt: 'text/plain',
  csv: 'text/csv',
  css: 'text/css',
  html: 'text/html',
  js: 'text/javascript',
  mjs: 'text/javascript',
  ts: 'text/typescript',
  py: 'text/x-python',
  sh: 'application/x-sh',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  xml: 'application/xml',
  pdf: 'application/pdf',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

function mediaType(path: string): string {
  const extension = /[^/]\.([a-zA-Z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(TYPES, extension) ? (TYPES[extension] as string) : 'application/octet-stream'
}
