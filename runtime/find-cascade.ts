import { disk } from '#disk'
import { type CascadeRecord, cascadeKeyText } from '../src/index-format.js'
import { cascadeInvalid } from './cascade-invalid.js'
import { EMPTY_CHAIN, isOwn, type KnownCascade } from './chain.js'
import { chainOfRecord } from './compiled-chain.js'
import { addedNames } from './directory-files.js'
import { currentIndex, type DirectoryState, directoryStates, withNames } from './directory-state.js'
import type { Disk } from './disk-seam.js'
import type { Globals } from './globals.js'
import type { OpenIndex } from './read-index.js'
import type { ToolDef } from './tool-def.js'
import { sourceOf, type ToolSource } from './tool-source.js'

/** A tool's cascade as it was compiled, where that holds; else resolved now. */
export async function findCascade(tool: ToolDef, globals: Globals): Promise<KnownCascade> {
  return (await compiledCascade(tool, globals)) ?? computedCascade(tool, globals)
}

async function computedCascade(tool: ToolDef, globals: Globals): Promise<KnownCascade> {
  const { resolveCascade } = await import('./cascade-on-demand.js')
  globals.stats.cascadesComputed++
  return resolveCascade(tool, globals)
}

/** A cascade as the compiler resolved it; null where there is none that holds here. */
async function compiledCascade(tool: ToolDef, globals: Globals): Promise<KnownCascade | null> {
  const source = sourceOf(tool)
  const host = disk
  if (!source || source.names.via === 'disk' || host === null) return null
  const { state } = source
  return withNames(state, globals, host, async () => {
    const index = await holdingIndex(source, globals, host)
    return index && recordedCascade(tool, state, index.cascade?.(tool.name), globals, host)
  })
}

/** The index that a tool was found in, where what it says of several tools together still holds; else null. */
export async function holdingIndex(
  { state, names }: ToolSource,
  globals: Globals,
  host: Disk,
): Promise<OpenIndex | null> {
  const index = currentIndex(state, globals, host)
  if (index !== names || index?.header.cascadeKey !== cascadeKey(state, globals, host)) return null
  return (await hasAdditions(globals, host)) ? null : index
}

async function recordedCascade(
  tool: ToolDef,
  state: DirectoryState,
  record: CascadeRecord | undefined,
  globals: Globals,
  host: Disk,
): Promise<KnownCascade | null> {
  // Somebody else's directory was compiled as a project of its own, whose promotions count there and not here.
  if (record?.open || (record && state.external && !state.library)) return null
  const { metadata } = tool.frontmatter
  const toolKeys = Object.keys({ ...metadata, ...record?.metadata })
  if (isOverridden(toolKeys, globals) || mayHaveOtherBases(tool, record, globals, host)) return null
  if (record?.problem) throw cascadeInvalid(tool, record.problem.message, record.problem.hint)
  const isPlain = !record || (record.chain.length === 0 && !record.metadata)
  return isPlain && (!record?.sources || globals.config.freshness === 'trust')
    ? { tool, chain: EMPTY_CHAIN, toolKeys, sources: [] }
    : chainOfRecord(tool, record, toolKeys, globals, host)
}

/** True where a base may be another tool than the compiler found, or one that it did not find may be there. */
function mayHaveOtherBases(
  { frontmatter: { metadata } }: ToolDef,
  record: CascadeRecord | undefined,
  globals: Globals,
  host: Disk,
): boolean {
  const { programmaticTools } = globals.tools
  if (record?.problem) {
    const others = directoryStates(globals, host).some(one => !isOwn(one) && !one.library)
    return others || programmaticTools.size > 0
  }
  const references = [metadata.$inherit].flat()
  const names = record?.sources?.map(([, name]) => name) ?? []
  return [...references, ...names].some(ref => typeof ref === 'string' && programmaticTools.has(ref))
}

/** True where something stands at the top of a directory that was not there when it was compiled: it may be a main skill or middleware. */
async function hasAdditions(globals: Globals, host: Disk): Promise<boolean> {
  if (globals.config.freshness === 'trust') return false
  for (const state of directoryStates(globals, host).filter(isOwn)) {
    const index = currentIndex(state, globals, host)
    const added = index && (await addedNames(state, index, globals, host))
    if (added && added.names().length > 0) return true
  }
  return false
}

/** What a directory's `cascadeKey` has to be for its cascades to hold; null where a directory has no index. */
function cascadeKey(state: DirectoryState, globals: Globals, host: Disk): string | null {
  const states = directoryStates(globals, host)
  const library = states.find(one => one.library)
  const inputOf = (one: DirectoryState) => currentIndex(one, globals, host)?.header.cascadeInput ?? null
  const shipped = library ? inputOf(library) : null
  const inputs = state.library ? [] : (state.external ? [state] : states.filter(isOwn)).map(inputOf)
  if (inputs.includes(null)) return null
  const text = cascadeKeyText(inputs as string[], shipped)
  if (globals.cascadeKey?.text !== text) globals.cascadeKey = { text, digest: host.digestText(text) }
  return globals.cascadeKey.digest
}

/** True where a program registered middleware that one of these keys is named after. */
function isOverridden(keys: readonly string[], { tools }: Globals): boolean {
  return keys.some(key => tools.programmaticTools.get(key)?.frontmatter.role === 'middleware')
}
