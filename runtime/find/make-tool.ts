import { disk } from '#disk'
import type { ToolFrontmatter } from '../../src/skill/frontmatter.js'
import { INTERNAL_TAG, labelOf } from '../../src/skill/names.js'
import { askIndex, isAway, statesAfter } from '../directory/look-up.js'
import { readContent } from '../directory/read-content.js'
import { lazy } from '../host/later.js'
import type { CallContext, Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import type { Origin, ToolDef, ToolFunction } from '../state/tool-def.js'
import { Sourced, type ToolSource } from '../state/tool-source.js'

/**
 * The code that runs and renders a tool. Finding one loads none of it, so that a process that only finds
 * tools, and a small bundle, go without.
 */
const running = lazy(() => import('../content/load-function.js'))
export const details = lazy(() => import('./read-details.js'))
export const contents = lazy(() => import('../content/find-content.js'))

/**
 * The tool of a record, one for each name of the names that it stands in. Nothing is read for it.
 *
 * @param name the record's, if that is known without reading its frontmatter
 */
export function toolOf(source: ToolSource, globals: Globals, name = source.record.frontmatter.name): ToolDef {
  const { names } = source
  const tools = globals.byName.get(names) ?? new Map<string, ToolDef>()
  let tool = tools.get(name)
  if (!tool) {
    tool = new Sourced(name, source, globals) as object as ToolDef
    globals.byName.set(names, tools.set(name, tool))
    globals.stats.via[names.via]++
  }
  return tool
}

Sourced.define({
  label: (_, __, { name }) => labelOf(name),
  kind: ({ record }) => record.kind,
  frontmatter: ({ state, record }) => (state.library ? internal(record.frontmatter) : record.frontmatter),
  origin: ({ state, names, record }, globals, { name }): Origin => ({
    layer: state.layer,
    entry: state.dir,
    file: record.file,
    via: names.via,
    get shadows() {
      return shadowedBy(name, state, globals)
    },
  }),
  load: (source, globals, tool) => once(async () => (await running()).loadFunction(tool, source, globals)),
  fn:
    (_, __, { load }): ToolFunction =>
    async (ctx, args) => {
      const run = (await load?.()) as ToolFunction
      ;(ctx as Partial<CallContext> | undefined)?.throwIfAborted?.()
      return run(ctx, args)
    },
  content: (source, globals, { kind }) => (kind === 'code' ? undefined : () => readContent(source, globals)),
  source: (source, globals) =>
    disk.via === 'bundle' ? undefined : async () => (await details()).sourceBytes(source, globals),
  runs: ({ state }, globals, { name, kind, frontmatter: { metadata } }) =>
    kind === 'code' ||
    !!(
      metadata.delegate ??
      (metadata.agent || askIndex(state, globals, index => index.cascade?.(name)?.body))
    ),
  src: ({ state, record: { file, fragment } }) =>
    disk.toFileUrl(disk.resolve(state.dir, file)) + (fragment === undefined ? '' : `#${fragment}`),
})

/** The frontmatter of a tool that the package ships. No author can give this tag. */
function internal(frontmatter: ToolFrontmatter): ToolFrontmatter {
  return { ...frontmatter, tags: [...frontmatter.tags, INTERNAL_TAG] }
}

/** Loads something at the first call; what failed is tried again. */
function once<Result>(load: () => Promise<Result>): () => Promise<Result> {
  let loading: Promise<Result> | undefined
  return () => {
    loading ??= load().catch(error => {
      loading = undefined
      throw error
    })
    return loading
  }
}

/**
 * The tools of a name in the directories after one: by their indexes, and of those without by what was read
 * of them.
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
