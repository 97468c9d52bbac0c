import { disk } from '#disk'
import { canonicalText } from '../../src/base/canonical-text.js'
import type { CodeSource } from '../../src/content/disk-parser.js'
import { type DigestedFile, digestedFiles } from '../../src/index/digested-texts.js'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import type { ModuleRecord, ToolRecord } from '../../src/index/index-format.js'
import { isInside } from '../../src/index/inside-path.js'
import { namespaceOf } from '../../src/skill/names.js'
import { chainOf } from '../cascade/chain-of.js'
import { findBase } from '../cascade/find-base.js'
import { isModuleFresh } from '../directory/file-freshness.js'
import { currentIndex, withNames } from '../directory/look-up.js'
import { loadParser, readAlone } from '../directory/read-files.js'
import { delegateSource, delegateTarget } from '../find/delegate-source.js'
import { resolveWithin } from '../find/require-tool.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf, type ToolSource } from '../state/tool-source.js'
import { sha256 } from './user-lines.js'

export interface Digest {
  /** SHA-256 over all files of the tool; a registered function counts as an id of its registration. */
  text: string
  /** False if a registered function is part of it: the digest is lost with the registration. */
  isLasting: boolean
}

/**
 * The digest that approvals of a tool are bound to: of its files, and those of its middleware, delegates and bases. It
 * is the same from an index, a bundle and the files themselves.
 */
export async function digestOf(tool: ToolDef, globals: Globals): Promise<Digest> {
  const parts: DigestedFile[] = []
  const tools = new Set([tool])
  let isLasting = true
  // The loop also visits tools that are added in it.
  for (const one of tools) {
    const source = sourceOf(one)
    if (source) parts.push(...(await filesOf(source, globals)))
    else if (one.digest !== undefined) parts.push(['(remote)', one.digest])
    else {
      isLasting = false
      parts.push(['(registered)', registrationOf(one)])
    }
    for (const other of await toolsAround(one, parts, globals)) tools.add(other)
  }
  return { text: await sha256(digestedFiles(parts)), isLasting }
}

/** An id for each registration. */
const registrations = new WeakMap<ToolDef, string>()

function registrationOf(tool: ToolDef): string {
  const known = registrations.get(tool) ?? crypto.randomUUID()
  registrations.set(tool, known)
  return known
}

/** A tool's middleware, delegates and bases. Adds the middleware's configuration to the digest. */
async function toolsAround(tool: ToolDef, parts: DigestedFile[], globals: Globals): Promise<ToolDef[]> {
  const { steps, body } = await chainOf(tool, globals)
  if (steps.length > 0)
    parts.push([
      '(chain)',
      canonicalText([tool.name, steps.map(({ name, args, hook }) => [name, args, hook])]),
    ])
  const around = steps.map(({ def }) => def)
  if (body) around.push(body)
  const { delegate, $inherit } = tool.frontmatter.metadata
  const source = sourceOf(tool)
  if (typeof delegate === 'string' && source && !source.record.delegate && !delegateSource(source)) {
    const target = delegateTarget(delegate, source)
    const found = await resolveWithin(namespaceOf(tool.name), target, globals)
    if (found?.tool) around.push(found.tool)
  }
  for (const ref of [$inherit].flat()) {
    const base = typeof ref === 'string' ? await findBase(ref, tool, globals) : null
    if (base?.tool) around.push(base.tool)
  }
  return around
}

async function filesOf(found: ToolSource, globals: Globals): Promise<Map<string, string>> {
  const { state, record } = found
  const { file, frontmatter, kind, module, delegate } = record
  const files = await withNames(state, globals, async () => {
    const source = await sourceNow(found, globals)
    const own = new Map([[file, fileDigest(source, file, globals)]])
    if (kind !== 'folder') return own
    const folder = file.replace(/[^/]*$/, '')
    for (const { path, sha256 } of source.names?.details(frontmatter.name)?.resources ?? [])
      own.set(folder + path, currentDigest(source, folder + path, globals) ?? sha256)
    return own
  })
  const code = kind === 'code' ? { file } : delegateSource(found)
  const compiled = kind === 'code' ? module : delegate && 'file' in delegate ? delegate : undefined
  if (code) {
    const inputs = await inputsOf(found, compiled, code, globals)
    for (const [path, digest] of inputs) files.set(path, digest)
  }
  return files
}

/** A tool's record with the current names of its directory: parts of an older index may be gone. */
interface SourceNow extends Pick<ToolSource, 'state' | 'record'> {
  names: DirectoryNames | null
}

async function sourceNow({ state, names, record }: ToolSource, globals: Globals): Promise<SourceNow> {
  if (names.via === 'disk') return { state, names, record }
  const now = currentIndex(state, globals) ?? (await readAlone(state, record.file, globals))
  return { state, names: now, record }
}

/** A file's digest in the index; under `check`, and without an index, that of its current content. */
function fileDigest(source: SourceNow, path: string, globals: Globals): string {
  return currentDigest(source, path, globals) ?? source.names?.file(path)?.sha256 ?? 'gone'
}

function currentDigest({ state, names }: SourceNow, path: string, { config }: Globals): string | null {
  if (names?.via === 'bundle' || (names?.via === 'index' && config.freshness === 'trust')) return null
  return disk.digestFile(disk.resolve(state.dir, path))
}

/** The files in a compiled module, or if that is out of date, those that would be bundled now. */
async function inputsOf(
  source: ToolSource,
  compiled: ModuleRecord | undefined,
  code: CodeSource,
  globals: Globals,
): Promise<DigestedFile[]> {
  const holds = compiled && isModuleFresh(compiled, source, globals)
  const now = holds ? null : await bundledNow(source, code, globals)
  if (!now) {
    const { inputs = [], outside } = compiled ?? {}
    const inside = await withNames(source.state, globals, async () => {
      const current = await sourceNow(source, globals)
      return inputs.map((path): DigestedFile => [path, fileDigest(current, path, globals)])
    })
    return outside === undefined ? inside : [...inside, [OUTSIDE, outside]]
  }
  const outside = now.filter(([path]) => !isInside(path))
  const inside = now.filter(([path]) => isInside(path))
  return outside.length === 0 ? inside : [...inside, [OUTSIDE, await sha256(digestedFiles(outside))]]
}

/** Stands for a module's files outside the directory, which have one digest in an index. */
const OUTSIDE = '(outside)'

/** The files of each bundled module, valid while none of them changes. */
const known = new WeakMap<ToolRecord, readonly DigestedFile[]>()

async function bundledNow(
  { state, record }: ToolSource,
  code: CodeSource,
  globals: Globals,
): Promise<readonly DigestedFile[] | null> {
  const before = known.get(record)
  if (before?.every(([path, digest]) => disk.digestFile(disk.resolve(state.dir, path)) === digest))
    return before
  const parser = await loadParser(globals)
  if (!parser) return null
  const inputs = await parser.inputsOf(state.dir, code, globals.config.external)
  known.set(record, inputs)
  return inputs
}
