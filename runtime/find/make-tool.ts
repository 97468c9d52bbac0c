import { disk } from '#disk'
import type { ToolFrontmatter, ToolKind } from '../../src/skill/frontmatter.js'
import { INTERNAL_TAG, labelOf } from '../../src/skill/names.js'
import { askIndex, isAway, statesAfter } from '../directory/look-up.js'
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
const reading = lazy(() => import('../directory/read-content.js'))
export const details = lazy(() => import('./read-details.js'))
export const contents = lazy(() => import('../content/find-content.js'))

/** Returns the tool of a record, always the same one. Reads nothing. */
export function toolOf(source: ToolSource, globals: Globals): ToolDef {
  return withOwnFields(listedTool(source, globals))
}

/**
 * Returns the tool of a record as `toolOf` does, but with fields of its own only where it was handed out before: they take longer
 * than all that is decided about most of ten thousand tools.
 *
 * @param name the record's, which like its kind may be known without it
 */
export function listedTool(
  source: ToolSource,
  globals: Globals,
  name = source.record.frontmatter.name,
  kind = source.record.kind,
): ToolDef {
  const { names } = source
  const tools = globals.byName.get(names) ?? new Map<string, ToolDef>()
  const known = tools.get(name)
  if (known) return known
  const Tool = kind === 'code' ? Sourced : TextTool
  const made: object = Object.assign(new Tool(source, globals), { name, label: labelOf(name), kind })
  const tool = made as ToolDef
  globals.byName.set(names, tools.set(name, tool))
  globals.stats.via[names.via]++
  return tool
}

/** Gives a listed tool the fields of its own that every tool has which is handed out, so that a copy has them, too. */
export function withOwnFields(tool: ToolDef): ToolDef {
  if (Object.hasOwn(tool, 'frontmatter')) return tool
  const { kind } = tool
  later[kind] ??= {
    ...fields,
    ...(kind !== 'code' && { content }),
    ...(disk.via !== 'bundle' && { source: file }),
  }
  return Object.defineProperties(tool, later[kind])
}

/** The fields of a kind of tool that are made when they are read. */
const later: Partial<Record<ToolKind, PropertyDescriptorMap>> = {}

const {
  content,
  source: file,
  ...fields
} = Sourced.later({
  content: (source, globals) => async () => (await reading()).readContent(source, globals),
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

/** A tool with a content: code has none. The fields of both are there before a tool is handed out, for those who decide about it. */
class TextTool extends Sourced {}
Object.defineProperties(Sourced.prototype, fields)
Object.defineProperties(TextTool.prototype, { content })

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
