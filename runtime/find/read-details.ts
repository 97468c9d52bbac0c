import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'
import { nearest } from '../../src/base/nearest.js'
import { directiveReferences } from '../../src/content/content-references.js'
import { isPlaceholders } from '../../src/content/host-placeholders.js'
import type { ToolDetails } from '../../src/index/index-format.js'
import { IndexRefused } from '../../src/index/read-index.js'
import { inOrder, isReferences, type ToolReference } from '../../src/skill/reference.js'
import { resourceUnreadable } from '../../src/skill/skill-faults.js'
import { currentIndex, namesOf, statesAfter, withNames } from '../directory/look-up.js'
import { readAlone } from '../directory/read-files.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf, type ToolSource } from '../state/tool-source.js'
import { contents } from './make-tool.js'
import { requireGiven } from './require-tool.js'

/**
 * Returns a tool with its details. Reads later directories without an index, since the tool may shadow some of theirs.
 */
export async function describe(
  ref: string,
  globals: Globals,
): Promise<{ tool: ToolDef } & Required<ToolDetails>> {
  const tool = await requireGiven(ref, globals)
  const state = sourceOf(tool)?.state
  // Under `verify`, only indexes count.
  if (state && !globals.config.verify) {
    for (const later of statesAfter(state, globals)) await namesOf(later, globals)
  }
  return { tool, ...(await readDetails(tool, globals)) }
}

/** Reads the details of a tool: its frontmatter as written, its other files, references and placeholders. */
export async function readDetails(tool: ToolDef, globals: Globals): Promise<Required<ToolDetails>> {
  if (tool.published) return tool.published.details()
  const source = sourceOf(tool)
  const details = source && (await withNames(source.state, globals, () => ask(source, globals)))
  const { verbatim = details?.verbatim ?? {} } = source ?? {}
  const {
    resources = [...(tool.files?.list ?? [])],
    references: written = [],
    placeholders = [],
    file = null,
  } = details ?? {}
  const inContent = source?.record.directives ? await referencesInContent(tool, source, globals) : []
  return { verbatim, resources, references: inOrder([...written, ...inContent]), placeholders, file }
}

async function referencesInContent(
  tool: ToolDef,
  source: ToolSource,
  globals: Globals,
): Promise<ToolReference[]> {
  const { findContent } = await contents()
  return directiveReferences((await findContent(tool, source, globals)).content.parts)
}

/**
 * Reads details from the current index, since parts of the index that the tool was found in may be gone.
 */
async function ask({ state, names, record }: ToolSource, globals: Globals): Promise<ToolDetails | undefined> {
  const index = names.via === 'disk' ? names : currentIndex(state, globals)
  const asked = index ?? (await readAlone(state, record.file, globals))
  const details = asked?.details(record.frontmatter.name)
  const { references = [], placeholders = [] } = details ?? {}
  if (!isReferences(references) || !isPlaceholders(placeholders))
    throw new IndexRefused(`the references of "${record.frontmatter.name}" are not ours`)
  const file = asked?.file(record.file)
  return details && { ...details, file: file ? { size: file.size, sha256: file.sha256 } : null }
}

/**
 * Reads a tool's own file.
 *
 * @throws RESOURCE_NOT_FOUND, RESOURCE_UNREADABLE; INTEGRITY_FAILED under `verify`
 */
export async function sourceBytes(
  { state, names, record }: ToolSource,
  globals: Globals,
): Promise<Uint8Array> {
  const { frontmatter, file, kind } = record
  const path = disk.resolve(state.dir, file)
  const size = disk.stat(path)?.size ?? 0
  const bytes = await (kind === 'folder'
    ? // A SKILL.md that is a link may lead only to a file of its own folder.
      disk.readInside(disk.resolve(path, '..'), file.replace(/^.*\//, ''))
    : disk.readRange(path, 0, size, size)
  ).catch(error => {
    throw resourceUnreadable(frontmatter.name, path, error)
  })
  if (bytes === null) {
    throw new AgentAppsError('RESOURCE_NOT_FOUND', `The file of "${frontmatter.name}", ${path}, is gone.`, {
      hint: 'Restore it, or run `agent-apps compile`.',
      tool: frontmatter.name,
      file: path,
    })
  }
  if (globals.config.verify) {
    const { expectSame } = await import('../directory/checked-files.js')
    expectSame(path, bytes, names.file(file))
  }
  return bytes
}

/** Implements `readResource`: reads one of a folder skill's files, including its SKILL.md. */
export async function resourceBytes(ref: string, path: string, globals: Globals): Promise<Uint8Array> {
  if (globals.bundle && disk.via !== 'bundle') return globals.bundle.readResource(ref, path)
  const tool = await requireGiven(ref, globals)
  if (tool.kind === 'folder' && tool.source && tool.origin.file.replace(/^.*\//, '') === path)
    return tool.source()
  const { resources } = await readDetails(tool, globals)
  const listed = resources.find(resource => resource.path === path)
  const source = sourceOf(tool)
  const bytes = listed
    ? await (source ? readOwn(source, path) : (tool.published ?? tool.files)?.read(path))
    : null
  if (bytes && globals.config.verify && !tool.published) {
    const { expectSame } = await import('../directory/checked-files.js')
    expectSame(disk.resolve(tool.origin.entry, tool.origin.file, '..', path), bytes, listed)
  }
  if (bytes) return bytes
  const near = nearest(
    path,
    resources.map(resource => resource.path),
  )
  throw new AgentAppsError(
    'RESOURCE_NOT_FOUND',
    `The skill "${tool.name}" has no file ${JSON.stringify(path)}.`,
    {
      hint:
        near === null
          ? resources.length > 0
            ? `\`agent-apps describe ${tool.name}\` lists those it has.`
            : 'It has no files besides its own.'
          : `Did you mean "${near}"?`,
      modelHint: near === null ? 'Read one of the files that are listed.' : `Did you mean "${near}"?`,
      tool: tool.name,
    },
  )
}

/**
 * Reads a file in the folder of a skill. A folder without the skill's file is not believed to be one, whatever the
 * index says.
 */
async function readOwn({ state, record }: ToolSource, path: string): Promise<Uint8Array | null> {
  // Only a folder skill has files besides its own.
  if (record.kind !== 'folder') return null
  const file = disk.resolve(state.dir, record.file)
  if (disk.stat(file) === null) return null
  return disk.readInside(disk.resolve(file, '..'), path).catch(error => {
    throw resourceUnreadable(record.frontmatter.name, disk.resolve(file, '..', path), error)
  })
}

/**
 * An opened folder skill, with its folder and files, so that an agent finds a `scripts/x.py` that the content names.
 */
export interface OpenedSkill {
  content: string
  /** The skill's folder, absolute. Absent without a file system, and in a bundle. */
  directory?: string
  /** Its other files, in order of path, relative to its folder. Size in bytes. */
  resources: { path: string; size: number }[]
}

/** Adds the folder and the other files of a skill to its content. */
export async function openSkill(tool: ToolDef, content: string, globals: Globals): Promise<OpenedSkill> {
  return { content, ...(await readFolder(tool, globals)) }
}

/** Lists the folder of a skill and its other files. */
export async function readFolder(tool: ToolDef, globals: Globals): Promise<Omit<OpenedSkill, 'content'>> {
  const { resources } = await readDetails(tool, globals)
  const source = tool.kind === 'folder' ? sourceOf(tool) : undefined
  return {
    ...(disk.via !== 'bundle' &&
      source && { directory: disk.resolve(source.state.dir, source.record.file, '..') }),
    resources: resources.map(({ path, size }) => ({ path, size })),
  }
}
