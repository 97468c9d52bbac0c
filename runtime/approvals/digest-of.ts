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
import { resolveWithin } from '../find/resolve-within.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf, type ToolSource } from '../state/tool-source.js'
import { sha256 } from './user-lines.js'

/** The digest that an approval is bound to. */
export interface Digest {
  /** SHA-256 over all files that the tool is made of; with a registered function, an id of its registration. */
  text: string
  /** False where a registered function is part of it, with whose registration it ends. */
  isLasting: boolean
}

/**
 * The digest of all that runs for a tool: its files, and those of its middleware, delegates and bases. An
 * index, a bundle and the files themselves give the same one.
 */
export async function digestOf(tool: ToolDef, globals: Globals): Promise<Digest> {
  const parts: DigestedFile[] = []
  const tools = new Set([tool])
  let isLasting = true
  // The loop comes to what is added in it as well.
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

/** Each registered tool's id, which ends with its registration. */
const registrations = new WeakMap<ToolDef, string>()

function registrationOf(tool: ToolDef): string {
  const known = registrations.get(tool) ?? crypto.randomUUID()
  registrations.set(tool, known)
  return known
}

/** Its middleware, delegates and bases. How the middleware is configured is a part of the digest, too. */
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

/** The files of one tool. */
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

/** A tool's record with the names of its directory as they are now: parts of an older index may be gone. */
interface SourceNow extends Pick<ToolSource, 'state' | 'record'> {
  names: DirectoryNames | null
}

async function sourceNow({ state, names, record }: ToolSource, globals: Globals): Promise<SourceNow> {
  if (names.via === 'disk') return { state, names, record }
  const now = currentIndex(state, globals) ?? (await readAlone(state, record.file, globals))
  return { state, names: now, record }
}

/** The digest that an index has of a file; under `check`, and without one, that of the file as it is now. */
function fileDigest(source: SourceNow, path: string, globals: Globals): string {
  return currentDigest(source, path, globals) ?? source.names?.file(path)?.sha256 ?? 'gone'
}

function currentDigest({ state, names }: SourceNow, path: string, { config }: Globals): string | null {
  if (names?.via === 'bundle' || (names?.via === 'index' && config.freshness === 'trust')) return null
  return disk.digestFile(disk.resolve(state.dir, path))
}

/** The files in a module: as it was compiled, or where that does not hold, as it would be bundled now. */
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

/** Stands for the files of a module that lie outside of the directory, of which an index knows one digest. */
const OUTSIDE = '(outside)'

/** The files that were bundled into modules; valid while none of them changes. */
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
