import { disk } from '#disk'
import { cascadeIn } from '../../src/index/cascade-record.js'
import { CLOCK_TICK } from '../../src/index/clock-tick.js'
import { cascadeKeyText } from '../../src/index/digested-texts.js'
import { withoutReplaced } from '../../src/index/directory-names.js'
import type { CascadeRecord, IndexHeader, RecordedProblem } from '../../src/index/index-format.js'
import { indexStamp, type OpenIndex } from '../../src/index/read-index.js'
import { namespaceOf } from '../../src/skill/names.js'
import { namesInScope } from '../../src/skill/namespaces.js'
import { lookTime } from '../directory/file-freshness.js'
import { currentIndex, directoryStates, namesOf, pathsKey, withNames } from '../directory/look-up.js'
import { type WrittenPlace, writtenFile } from '../directory/written-place.js'
import { lazy } from '../host/later.js'
import type { Chain, KnownCascade } from '../state/chain.js'
import type { Globals } from '../state/context.js'
import { type DirectoryState, isOwn } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf, type ToolSource } from '../state/tool-source.js'
import { cascadeInvalid, unmetVersion } from './cascade-faults.js'
import { addressedTools, areFresh, chainOfRecord, mayBeMiddleware } from './compiled-chain.js'
import { knownCascade } from './make-chain.js'

/**
 * The chain around a tool: the compiled one if nothing that it depends on has changed, otherwise resolved now.
 *
 * @throws CASCADE_INVALID where the tool's metadata, or that of one it inherits from, has a fault
 */
export function chainOf(tool: ToolDef, globals: Globals): Chain | Promise<Chain> {
  const key = keyOf(tool, globals)
  const known = globals.cache.cascade.get(key)
  if (known?.tool === tool && isCurrent(known, globals)) return known.resolvedChain
  const running = globals.chains.get(key)
  if (running?.tool === tool) return running.chain
  const resolving = { tool, chain: resolveChain(tool, key, globals) }
  globals.chains.set(key, resolving)
  return resolving.chain
}

/** The last key of each tool: making one takes a tenth of a short call. */
const keys = /* @__PURE__ */ new WeakMap<ToolDef, { name: string; paths: string; key: string }>()

function keyOf(tool: ToolDef, globals: Globals): string {
  const paths = pathsKey(globals)
  const { name } = tool
  const last = keys.get(tool)
  if (last?.paths === paths && last.name === name) return last.key
  const key = `${name}\0${paths}`
  keys.set(tool, { name, paths, key })
  return key
}

/** True if the sources of a cascade have not changed; under `trust` always. */
function isCurrent({ sources, stamp }: KnownCascade, globals: Globals): boolean {
  if (globals.config.freshness === 'trust') return true
  return stamp !== null && stamp === stampOf(globals) && areFresh(sources, globals)
}

/**
 * A stamp of the directories' top levels and indexes; null while one may still change within its timestamp.
 */
function stampOf(globals: Globals): string | null {
  if (globals.config.freshness === 'trust') return null
  const times = directoryStates(globals).map(({ dir }) => disk.directoryTime(dir))
  const isSettled = times.every(time => time === null || time < lookTime() - CLOCK_TICK)
  const stamps = directoryStates(globals).map(({ dir }) => indexStamp(disk, dir))
  return isSettled ? [...times, ...stamps].join() : null
}

const onDemand = lazy(() => import('./resolve-cascade.js'))

/** Resolves a chain and caches it, unless middleware was registered meanwhile. */
async function resolveChain(tool: ToolDef, key: string, globals: Globals): Promise<Chain> {
  const { cache, chains } = globals
  const isWanted = (): boolean => chains.get(key)?.tool === tool
  const stamp = stampOf(globals)
  try {
    const known = await findCascade(tool, globals)
    if (isWanted()) {
      cache.cascade.set(key, { ...known, stamp })
      cache.cascadeDeps.set(key, known.deps)
    }
    return known.resolvedChain
  } finally {
    if (isWanted()) chains.delete(key)
  }
}

/**
 * A tool's compiled cascade if it still holds, otherwise resolved now.
 *
 * @throws TOOL_BROKEN if this version does not meet the `requires` of a tool that would run
 */
async function findCascade(tool: ToolDef, globals: Globals): Promise<KnownCascade> {
  const known = tool.published
    ? knownCascade(tool)
    : ((await compiledCascade(tool, globals)) ?? (await computedCascade(tool, globals)))
  const { steps, body = tool } = known.resolvedChain
  for (const one of [tool, body, ...steps.map(({ def }) => def)]) {
    const unmet = unmetVersion(one)
    if (unmet) throw unmet
  }
  return known
}

async function computedCascade(tool: ToolDef, globals: Globals): Promise<KnownCascade> {
  const { hasNoPromotions, resolveCascade } = await onDemand()
  if (await hasNoPromotions(tool, globals)) return knownCascade(tool)
  globals.stats.cascadesComputed++
  return resolveCascade(tool, globals)
}

/** The compiled cascade; null if it does not hold here. */
async function compiledCascade(tool: ToolDef, globals: Globals): Promise<KnownCascade | null> {
  const source = sourceOf(tool)
  if (!source || source.names.via === 'disk') return null
  const { state } = source
  return withNames(state, globals, async () => {
    const index = await holdingIndex(source, globals)
    return index && recordedCascade(tool, state, cascadeIn(index, tool.name), globals)
  })
}

/**
 * The index that a tool was found in, where what it says of several tools together still holds; else null.
 */
export async function holdingIndex(
  { state, names }: ToolSource,
  globals: Globals,
): Promise<OpenIndex | null> {
  const index = currentIndex(state, globals)
  if (index !== names || !areCascadesValid(index.header, state, globals)) return null
  return (await hasAdditions(globals)) ? null : index
}

/** True if an index's cascades were resolved from the directories that this runtime has. */
export function areCascadesValid(header: IndexHeader, state: DirectoryState, globals: Globals): boolean {
  const key = cascadeKey(state, globals)
  return key !== null && (header.cascadeKey === key || header.ownCascadeKey === key)
}

/** The `cascadeKey` of the directories of this runtime; null where one has no index. */
function cascadeKey(state: DirectoryState, globals: Globals): string | null {
  const states = directoryStates(globals)
  const library = states.find(one => one.library)
  const inputOf = (one: DirectoryState) => currentIndex(one, globals)?.header.cascadeInput ?? null
  const shipped = library ? inputOf(library) : null
  const inputs = state.library ? [] : (state.external ? [state] : states.filter(isOwn)).map(inputOf)
  if (inputs.includes(null)) return null
  const text = cascadeKeyText(inputs as string[], shipped)
  if (globals.cascadeKey?.text !== text) globals.cascadeKey = { text, digest: disk.digestText(text) }
  return globals.cascadeKey.digest
}

async function recordedCascade(
  tool: ToolDef,
  state: DirectoryState,
  record: CascadeRecord | undefined,
  globals: Globals,
): Promise<KnownCascade | null> {
  // Somebody else's directory was compiled as a project of its own, whose promotions count there and not
  // here.
  if (record?.open || (record && state.external && !state.library)) return null
  const { metadata } = tool.frontmatter
  const effective = Object.entries({ ...metadata, ...record?.metadata })
  // A null of its own takes a key away; an inherited null is a value.
  const toolKeys = effective.flatMap(([key, value]) => (value === null && key in metadata ? [] : [key]))
  const inScope = (ref: string): string[] => namesInScope(ref, namespaceOf(tool.name))
  if (isOverridden(toolKeys.flatMap(inScope), globals) || mayHaveOtherBases(tool, record, globals))
    return null
  if (record?.problem) {
    // The fault may have been corrected meanwhile.
    if (globals.config.freshness === 'check') return null
    const [owner = tool] = (await addressedTools(record.sources ?? [], tool, globals)) ?? []
    throw cascadeInvalid(tool, record.problem, recordedPlace(record.problem, owner))
  }
  const isPlain = !record || (record.chain.length === 0 && !record.metadata)
  return isPlain && (!record?.sources || globals.config.freshness === 'trust')
    ? knownCascade(tool, { keys: toolKeys })
    : chainOfRecord(tool, record, toolKeys, globals)
}

/** The place of a recorded problem. An index may contain anything, so an invalid position is left out. */
function recordedPlace({ position }: RecordedProblem, owner: ToolDef): WrittenPlace | null {
  const file = writtenFile(owner)
  if (file === null) return null
  const isPlace = Number.isInteger(position?.line) && Number.isInteger(position?.column)
  return { file, ...(position && isPlace && { position }) }
}

/**
 * True where a base may be another tool than the compiler found, or one that it did not find may be there.
 */
function mayHaveOtherBases(
  { name, frontmatter: { metadata } }: ToolDef,
  record: CascadeRecord | undefined,
  globals: Globals,
): boolean {
  const { programmaticTools } = globals.tools
  if (record?.problem) {
    const others = directoryStates(globals).some(one => !isOwn(one) && !one.library)
    return others || programmaticTools.size > 0
  }
  const references = [metadata.$inherit].flat()
  const names = record?.sources?.map(([, name]) => name) ?? []
  const refs = [...references, ...names].filter(ref => typeof ref === 'string')
  const inScope = refs.flatMap(ref => namesInScope(ref, namespaceOf(name)))
  return inScope.some(ref => programmaticTools.has(ref))
}

/**
 * True where something stands at the top of a directory that was not there when it was compiled: it may be a
 * main skill or middleware.
 */
async function hasAdditions(globals: Globals): Promise<boolean> {
  if (globals.config.freshness === 'trust') return false
  for (const state of directoryStates(globals).filter(isOwn)) {
    const names = await namesOf(state, globals)
    if (names && withoutReplaced(names) !== currentIndex(state, globals)) return true
  }
  return false
}

/** True if a program registered middleware for one of these keys. */
function isOverridden(keys: readonly string[], { tools }: Globals): boolean {
  return keys.some(key => {
    const registered = tools.programmaticTools.get(key)
    return registered !== undefined && mayBeMiddleware(registered.frontmatter)
  })
}
