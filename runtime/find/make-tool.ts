import { disk } from '#disk'
import type { ToolRecord } from '../../src/index/index-format.js'
import type { ToolFrontmatter } from '../../src/skill/frontmatter.js'
import { INTERNAL_TAG, labelOf } from '../../src/skill/names.js'
import { askIndex, isAway, statesAfter } from '../directory/look-up.js'
import { readContent } from '../directory/read-content.js'
import { lazy } from '../host/later.js'
import type { CallContext, Context, Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import type { Origin, ToolDef, ToolFunction } from '../state/tool-def.js'
import { Sourced, type ToolSource } from '../state/tool-source.js'

/**
 * The code that runs and renders tools. Finding a tool does not load it, so that processes that only find tools, and
 * small bundles, do without.
 */
const code = lazy(() => import('../call/run-code.js'))
const markdown = lazy(() => import('../content/markdown-tool.js'))
export const details = lazy(() => import('./read-details.js'))
export const contents = lazy(() => import('../content/find-content.js'))

/** Returns the tool of a record, always the same one. Reads nothing. */
export function toolOf(source: ToolSource, globals: Globals): ToolDef {
  const { names, record } = source
  const tools = globals.byRecord.get(names) ?? new Map<ToolRecord, ToolDef>()
  const known = tools.get(record)
  if (known) return known
  const tool = makeTool(source, globals)
  globals.byRecord.set(names, tools.set(record, tool))
  globals.stats.via[names.via]++
  return tool
}

function makeTool(source: ToolSource, globals: Globals): ToolDef {
  const { state, names, record } = source
  const { kind, file } = record
  const frontmatter = state.library ? internal(record.frontmatter) : record.frontmatter
  const fn = once(async (): Promise<ToolFunction> => {
    const delegate = frontmatter.metadata.delegate
    // Null removes an inherited one.
    if (delegate !== undefined && delegate !== null) return (await code()).loadDelegate(source, globals)
    if (kind !== 'code') {
      const { runSkill } = await markdown()
      return ctx => runSkill(tool, source, ctx as Context | undefined, globals)
    }
    const loaded = await (await code()).loadCode(source, globals)
    tool.module = loaded.module
    return loaded.fn
  })
  const tool = new Sourced(
    source,
    globals,
    {
      name: frontmatter.name,
      label: labelOf(frontmatter.name),
      kind,
      frontmatter,
      fn: async (ctx, args) => {
        const run = await fn()
        ;(ctx as Partial<CallContext> | undefined)?.throwIfAborted?.()
        return run(ctx, args)
      },
      load: fn,
      ...(kind !== 'code' && {
        content: () => readContent(source, globals),
      }),
      ...(disk.via !== 'bundle' && { source: async () => (await details()).sourceBytes(source, globals) }),
      origin: new Sourced(
        source,
        globals,
        { layer: state.layer, entry: state.dir, file, via: names.via } satisfies Omit<Origin, 'shadows'>,
        OF_ORIGIN,
      ) as object as Origin,
    } satisfies Omit<ToolDef, keyof typeof OF_TOOL>,
    OF_TOOL,
  ) as object as ToolDef
  return tool
}

const OF_TOOL = {
  runs: Sourced.computed(({ state, record: { kind, frontmatter } }, globals) => {
    if (kind === 'code') return true
    const { delegate, agent } = frontmatter.metadata
    return !!(
      delegate ??
      (agent || askIndex(state, globals, index => index.cascade?.(frontmatter.name))?.body)
    )
  }),
  // Listing ten thousand tools must not make ten thousand URLs.
  src: Sourced.computed(
    ({ state, record: { file, fragment } }) =>
      disk.toFileUrl(disk.resolve(state.dir, file)) + (fragment === undefined ? '' : `#${fragment}`),
  ),
}

const OF_ORIGIN = {
  shadows: Sourced.computed(({ state, record }, globals) =>
    shadowedBy(record.frontmatter.name, state, globals),
  ),
}

/** Tags a tool of the package. Authors cannot give this tag. */
function internal(frontmatter: ToolFrontmatter): ToolFrontmatter {
  return { ...frontmatter, tags: [...frontmatter.tags, INTERNAL_TAG] }
}

/** Loads something at the first call, and again after a failure. */
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
