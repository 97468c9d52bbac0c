import { disk } from '#disk'
import { addToGroup } from '../../src/base/add-to-group.js'
import { runtimeClosed } from '../../src/base/error.js'
import { holderOf } from '../../src/index/directory-names.js'
import { isBroken } from '../../src/index/index-format.js'
import { noteBroken } from '../directory/directory-diagnostics.js'
import { currentIndex, directoryStates, isAway, namesOf, pathsKey, withNames } from '../directory/look-up.js'
import { lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState, Found } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf, type ToolSource } from '../state/tool-source.js'
import { listedTool, withOwnFields } from './make-tool.js'
import { kindAt, ListedSource, type ToolList, toolList } from './tool-list.js'

const notEvaluated = lazy(() => import('../directory/not-evaluated.js'))

/**
 * The tools that are registered, and those of the path entries, without those that are not available.
 *
 * @param isAsked true where a caller wants just this list: it is told why there is none of the only path entry
 */
export async function allTools(globals: Globals, isAsked = false): Promise<ToolDef[]> {
  return (await listedTools(globals, isAsked)).map(withOwnFields)
}

/** Lists the tools of `allTools` before they are handed out with `withOwnFields`: most of them are only decided about. */
export async function listedTools(globals: Globals, isAsked = false): Promise<readonly ToolDef[]> {
  const { remote, config } = globals
  const available = await availableTools(globals)
  if (!remote) return available
  const tools = [...available]
  const taken = new Set(tools.map(({ name }) => name))
  const isOnly = isAsked && config.paths.length === 0
  for (const tool of await remote.list(isOnly)) {
    if (taken.has(tool.name)) continue
    taken.add(tool.name)
    tools.push(tool)
  }
  return tools
}

/** All tools but those of remote path entries. */
export async function localTools(globals: Globals): Promise<ToolDef[]> {
  return (await availableTools(globals)).map(withOwnFields)
}

async function availableTools(globals: Globals): Promise<readonly ToolDef[]> {
  if (globals.bundle && disk.via !== 'bundle') return globals.bundle.listTools()
  const all = await listEvery(globals)
  const { lifecycle } = globals
  return lifecycle ? all.filter(tool => lifecycle.isAvailable(tool)) : all
}

/**
 * Every tool that is registered, and those of the path entries, from indexes and files.
 *
 * @param onBroken called with each name whose file has a fault
 */
export async function everyTool(globals: Globals, onBroken?: (found: Named) => void): Promise<ToolDef[]> {
  return (await listEvery(globals, onBroken)).map(withOwnFields)
}

/** Lists every tool. Under `trust`, the list is always one array, by which a caller sees that nothing has changed. */
async function listEvery(globals: Globals, onBroken?: (found: Named) => void): Promise<readonly ToolDef[]> {
  if (globals.configure) await globals.configure()
  if (globals.closed) throw runtimeClosed()
  const registered = registeredTools(globals)
  const key = pathsKey(globals)
  const known = globals.config.freshness === 'trust' && !onBroken ? globals.cache.list.get(key) : undefined
  if (known) return known
  const taken = new Set(registered.map(({ name }) => name))
  const tools: ToolDef[] = [...registered]
  const note = (found: Named): void => {
    noteBroken(found, globals)
    onBroken?.(found)
  }
  for (const state of directoryStates(globals)) {
    const all = await allIn(state, globals)
    if (!Array.isArray(all)) {
      addListed(all, state, globals, { taken, tools, note })
      continue
    }
    for (const found of all) {
      const { name } = found
      if (taken.has(name)) continue
      taken.add(name)
      if (!isTool(found)) note(found)
      else if (!state.library || found.record.frontmatter.visibility !== 'hidden') {
        tools.push(listedTool(found, globals, name, found.record.kind))
        if (found.record.dynamic && globals.config.evaluate === false)
          (await notEvaluated()).noteNotEvaluated(found, globals)
      }
    }
  }
  const listed = await withoutCopies(tools, globals)
  globals.cache.list.set(key, listed)
  return listed
}

/** The tools that a program registered, without those that `inline://` references made. */
function registeredTools({ tools: { programmaticTools } }: Globals): ToolDef[] {
  const isInline = (key: string, { src }: ToolDef): boolean => src === key && key.startsWith('inline://')
  return [...new Set([...programmaticTools].flatMap(([key, tool]) => (isInline(key, tool) ? [] : [tool])))]
}

/** A name in one directory, with what it leads to there. */
export interface Named extends Found {
  name: string
}

function isTool(found: Named): found is Named & ToolSource {
  return !isBroken(found.record)
}

/** A list that is being made. */
interface Listing {
  taken: Set<string>
  tools: ToolDef[]
  note: (broken: Named) => void
}

/** Adds the tools of an index by its list. Nothing is made of a row but its tool: there may be ten thousands. */
function addListed(
  list: ToolList,
  state: DirectoryState,
  globals: Globals,
  { taken, tools, note }: Listing,
): void {
  const { columns, names } = list
  for (let row = 0; row < columns.names.length; row++) {
    const name = columns.names[row] as string
    if (taken.has(name)) continue
    taken.add(name)
    const kind = kindAt(columns, row)
    if (kind === undefined) note({ name, state, names, record: list.recordAt(row) })
    else tools.push(listedTool(new ListedSource(state, list, row), globals, name, kind))
  }
}

/** All names of a directory, or the list of its index. */
function allIn(state: DirectoryState, globals: Globals): Promise<Named[] | ToolList> {
  return withNames(state, globals, () => allOnce(state, globals))
}

async function allOnce(state: DirectoryState, globals: Globals): Promise<Named[] | ToolList> {
  // The library is listed as it was shipped: its index comes with it, and nobody adds to it.
  if (state.library && !currentIndex(state, globals)) return []
  const names = await namesOf(state, globals, 'all')
  if (!names) return []
  // The library's has tools that are away.
  const list = state.library ? null : toolList(names, state, globals)
  if (list) return list
  // Asking for every name reads the whole index, so that one which is refused is refused before anything is taken from
  // it.
  return names.names().flatMap(name => {
    const record = names.tool(name)
    return record && !isAway(record, state, globals)
      ? { name, state, names: holderOf(names, record.file), record }
      : []
  })
}

/**
 * Leaves out the copies of skills that several namespaces have: of tools whose name without its namespace and
 * whose files are the same, the first in search order stays.
 */
async function withoutCopies(tools: readonly ToolDef[], globals: Globals): Promise<ToolDef[]> {
  // Without a namespace, no two have a label in common.
  if (tools.every(({ name, label }) => name === label)) return [...tools]
  const byLabel = new Map<string, ToolSource[]>()
  for (const tool of tools) {
    const source = sourceOf(tool)
    if (source) addToGroup(byLabel, tool.label, source)
  }
  const copies = new Set<ToolSource | undefined>()
  for (const [label, sources] of byLabel) {
    if (sources.length === 1) continue
    const first = firstOf(label, sources)
    const contents = first && (await contentsOf(first, globals))
    for (const one of sources)
      if (one !== first && (await contentsOf(one, globals)) === contents) copies.add(one)
  }
  return tools.filter(tool => !copies.has(sourceOf(tool)))
}

/** The tool that a bare name means, of those of the first directory that has one. */
function firstOf(label: string, sources: readonly ToolSource[]): ToolSource | undefined {
  const [first] = sources
  const meant = first?.names.tool(label)
  return sources.find(({ state, record }) => state === first?.state && record.file === meant?.file) ?? first
}

/** A text that is the same for the same contents of a skill's files. */
function contentsOf({ state, names, record }: ToolSource, globals: Globals): Promise<string> {
  return withNames(state, globals, async () => {
    const { resources = [] } = names.details(record.frontmatter.name) ?? {}
    return JSON.stringify([names.file(record.file)?.sha256, resources])
  })
}
