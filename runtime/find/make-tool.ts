import { disk } from '#disk'
import type { ToolFrontmatter, ToolKind } from '../../src/skill/frontmatter.js'
import { INTERNAL_TAG, labelOf } from '../../src/skill/names.js'
import { askIndex, isAway, statesAfter } from '../directory/look-up.js'
import { readContent } from '../directory/read-content.js'
import { lazy } from '../host/later.js'
import type { CallContext, Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import type { Origin, ToolDef, ToolFunction } from '../state/tool-def.js'
import { Sourced, type ToolSource } from '../state/tool-source.js'

/**
 * The code that runs and renders tools. Finding a tool does not load it, so that processes that only find tools, and
 * small bundles, do without.
 */
const running = lazy(() => import('../content/load-function.js'))
export const details = lazy(() => import('./read-details.js'))
export const contents = lazy(() => import('../content/find-content.js'))

/**
 * Returns the tool of a record, always the same one. Reads nothing.
 *
 * @param name the record's, where it is known without its frontmatter
 */
export function toolOf(source: ToolSource, globals: Globals, name = source.record.frontmatter.name): ToolDef {
  const { names, record } = source
  const tools = globals.byName.get(names) ?? new Map<string, ToolDef>()
  const known = tools.get(name)
  if (known) return known
  const { kind } = record
  later[kind] ??= {
    ...others,
    ...(kind !== 'code' && { content }),
    ...(disk.via !== 'bundle' && { source: file }),
  }
  const made = Object.assign(new Sourced(source, globals), { name, label: labelOf(name), kind })
  const tool = Object.defineProperties(made, later[kind]) as object as ToolDef
  globals.byName.set(names, tools.set(name, tool))
  globals.stats.via[names.via]++
  return tool
}

/** The fields of a kind of tool that are made when they are read. */
const later: Partial<Record<ToolKind, PropertyDescriptorMap>> = {}

const {
  content,
  source: file,
  ...others
} = Sourced.later({
  content: (source, globals) => () => readContent(source, globals),
  source: (source, globals) => async () => (await details()).sourceBytes(source, globals),
  frontmatter: ({ state, record: { frontmatter } }) => (state.library ? internal(frontmatter) : frontmatter),
  origin: ({ state, names, record }, globals, { name }) => ({
    layer: state.layer,
    entry: state.dir,
    file: record.file,
    via: names.via,
    get shadows() {
      return shadowedBy(name, state, globals)
    },
  }),
  load: (source, globals, tool) => async () => (await running()).loadFunction(tool, source, globals),
  fn:
    (_, __, { load }) =>
    async (ctx, args) => {
      const run = (await load?.()) as ToolFunction
      ;(ctx as Partial<CallContext> | undefined)?.throwIfAborted?.()
      return run(ctx, args)
    },
  runs: ({ state }, globals, { name, kind, frontmatter: { metadata } }) =>
    kind === 'code' ||
    !!(
      metadata.delegate ??
      (metadata.agent || askIndex(state, globals, index => index.cascade?.(name))?.body)
    ),
  src: ({ state, record: { file, fragment } }) =>
    disk.toFileUrl(disk.resolve(state.dir, file)) + (fragment === undefined ? '' : `#${fragment}`),
})

/** Tags a tool of the package. Authors cannot give this tag. */
function internal(frontmatter: ToolFrontmatter): ToolFrontmatter {
  return { ...frontmatter, tags: [...frontmatter.tags, INTERNAL_TAG] }
}

/**
 * The tools of a name in the directories after one, from their indexes, or the files that were read.
 */
function shadowedBy(name: string, by: DirectoryState, globals: Globals): Origin['shadows'] {
  return statesAfter(by, globals).flatMap(state => {
    const record =
      askIndex(state, globals, index => (state.snapshot?.names ?? index).tool(name)) ??
      state.snapshot?.names?.tool(name)
    return record && !isAway(record, state, globals)
      ? [{ layer: state.layer, entry: state.dir, file: record.file }]
      : []
  })
}
