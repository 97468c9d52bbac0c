import { realpathSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { orNull } from '../src/base/attempt.js'
import { canonicalText } from '../src/base/canonical-text.js'
import { inCodePointOrder } from '../src/base/code-point-order.js'
import { AgentAppsError, isAgentAppsError } from '../src/base/error.js'
import { encodeRelease, type ReleasePart, type ReleaseTerms } from '../src/release/encode-release.js'
import { RELEASE_LIMITS, type ReleaseRecord, type ReleaseShard } from '../src/release/release-format.js'
import { searchedTexts } from '../src/search/searched-texts.js'
import { TermStore } from '../src/search/term-store.js'
import { toolTerms } from '../src/search/tool-terms.js'
import { indexFiles } from './index/index-files.js'
import { readProject } from './pipeline/read-project.js'
import { checkProjectOptions } from './project/option-checks.js'
import type { ProjectDirectory, ProjectOptions } from './project/project.js'
import { FileCopies } from './publish/file-copies.js'
import { type LeftOut, type ReleaseSource, readReleaseSource } from './publish/read-release-source.js'
import { ReleaseFolder } from './publish/release-folder.js'
import { releaseRecord } from './publish/release-record.js'

/** The options of `publish`. */
export interface PublishOptions extends ProjectOptions {
  /** The folder to publish to, which a server then gives. */
  to: string
  /** True to write nothing. */
  dryRun?: boolean | undefined
}

/** The result of `publish`. */
export interface PublishResult extends ReleaseChanges {
  /** `sha256-` and the digest of the header: the `integrity` of a remote path entry. */
  pin: string
  /** The number of published tools. */
  skills: number
  /** The tools that are listed and not called, since they are more than texts, each with the reason. */
  code: LeftOut[]
  /** The tools that are not published, each with the reason. */
  leftOut: LeftOut[]
  /** False if there was no release before that could be compared. */
  isCompared: boolean
  /** The folder, absolute. */
  dir: string
  /** The number of files that were written, or would be. */
  written: number
}

/**
 * Publishes the compiled skills of a directory: writes what a static server gives to runtimes elsewhere. Each file is
 * compared with the index as it is copied. Runs no code.
 *
 * @throws PUBLISH_REFUSED; OPTIONS_INVALID, DIRECTORY_NOT_FOUND, NO_SKILL_PATHS, CONFIG_*
 */
export async function publish(options: PublishOptions): Promise<PublishResult> {
  checkProjectOptions('publish', options, { to: 'string', dryRun: 'boolean' })
  const { to, dryRun = false, cwd = process.cwd() } = options
  const directory = await directoryOf(options)
  const dir = resolve(cwd, to)
  expectApart(directory.dir, dir)
  const source = readReleaseSource(directory)
  const folder = new ReleaseFolder(dir, dryRun)
  const before = folder.latestShards()
  const { tools, terms } = await publishTools(directory, source, folder)
  const names = new Map([...source.names].map(([name, all]) => [name, { names: all }]))
  const { namespace } = source.index.header
  const release = encodeRelease(tools, names, terms, namespace, indexFiles.digestOf)
  const written = [...release.parts, release.header]
  expectReadable(tools.size, written, directory.dir)
  for (const { path, bytes } of written) await folder.put(path, bytes)
  await folder.putLatest(release.pin)
  return {
    pin: release.pin,
    skills: tools.size,
    ...releaseChanges(tools, before ?? []),
    code: [...tools].flatMap(([tool, { code }]) => (code === undefined ? [] : [{ tool, reason: code }])),
    leftOut: source.leftOut,
    isCompared: before !== null,
    dir,
    written: folder.written,
  }
}

/** The one directory that is published: the given one, with its path entry if the configuration has it, or the only one. */
async function directoryOf({ paths, ...options }: PublishOptions): Promise<ProjectDirectory> {
  const { cwd = process.cwd(), config, external } = options
  const project = { cwd, config, external }
  const given = paths?.length === 1 && typeof paths[0] === 'string' ? resolve(cwd, paths[0]) : null
  const read = await readProject(given === null ? { ...project, paths } : project, false).catch(error => {
    if (given !== null && isAgentAppsError(error) && error.code === 'NO_SKILL_PATHS') return null
    throw error
  })
  const known = read?.directories ?? []
  const named = given === null ? known : known.filter(({ dir }) => dir === given)
  const directories =
    named.length > 0 || given === null ? named : (await readProject({ ...project, paths }, false)).directories
  const [directory] = directories
  if (directory && directories.length === 1) return directory
  throw new AgentAppsError(
    'PUBLISH_REFUSED',
    `A release has the skills of one directory, and there are ${directories.length}.`,
    { hint: 'Name one: `agent-apps publish ./skills --to DIR`. Each can be published by itself.' },
  )
}

/** Throws for a release that no runtime reads. */
function expectReadable(tools: number, parts: readonly ReleasePart[], dir: string): void {
  const isTooLarge = tools > RELEASE_LIMITS.tools || parts.some(({ bytes, most }) => bytes.length > most)
  if (!isTooLarge) return
  throw new AgentAppsError(
    'PUBLISH_REFUSED',
    `The skills of ${dir} are too many or too large for a release.`,
    {
      hint: 'Publish them from several directories.',
      file: dir,
    },
  )
}

/** Throws for a folder in the directory of the skills: what is published would be among what is compiled. */
function expectApart(skills: string, to: string): void {
  const [one, other] = [skills, to].map(dir => (orNull(() => realpathSync(dir)) ?? dir) + sep) as [
    string,
    string,
  ]
  if (!other.startsWith(one)) return
  throw new AgentAppsError('PUBLISH_REFUSED', `${to} is in the directory of the skills, ${skills}.`, {
    hint: 'Publish to a folder outside of it, or name the directory: `agent-apps publish ./skills --to DIR`.',
    file: to,
  })
}

/** Publishes the files of all tools, and returns their records and words. */
async function publishTools(
  { dir }: ProjectDirectory,
  source: ReleaseSource,
  folder: ReleaseFolder,
): Promise<{ tools: Map<string, ReleaseRecord>; terms: ReleaseTerms }> {
  const tools = new Map<string, ReleaseRecord>()
  const { search } = source
  const kept = search && { file: search, isKept: (name: string) => source.tools.has(name) }
  const store = new TermStore()
  const stored: number[] = []
  const files = new FileCopies(dir, folder)
  for (const [name, tool] of source.tools) {
    const { record, details, file } = tool
    const bytes = record.kind === 'code' ? null : await files.copy(record.file, file)
    const base = record.file.replace(/[^/]*$/, '')
    const resources = details.resources.map(({ path, size, sha256 }) => ({ path, size, sha256 }))
    for (const resource of resources) await files.copy(base + resource.path, resource)
    const published = await releaseRecord(tool, bytes, resources, text => files.addText(text))
    tools.set(name, published.record)
    if (!kept) stored.push(store.add(toolTerms(searchedTexts(published.record.frontmatter, published.text))))
  }
  await files.finish()
  return { tools, terms: { terms: store.index(stored), kept } }
}

/** The names of the tools by which a release differs from the one before. */
interface ReleaseChanges {
  added: string[]
  changed: string[]
  removed: string[]
}

/** Compares a release with the shards of the one before; with none, all is added. */
function releaseChanges(
  tools: ReadonlyMap<string, ReleaseRecord>,
  before: readonly ReleaseShard[],
): ReleaseChanges {
  const known = new Map<string, string>()
  for (const shard of before)
    for (const [name, record] of Object.entries(shard))
      if (!('names' in record)) known.set(name, canonicalText(record))
  const names = [...tools.keys()]
  return {
    added: names.filter(name => !known.has(name)),
    changed: names.filter(name => known.has(name) && known.get(name) !== canonicalText(tools.get(name))),
    removed: inCodePointOrder(known.keys()).filter(name => !tools.has(name)),
  }
}
