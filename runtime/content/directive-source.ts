import { disk } from '#disk'
import { nearest } from '../../src/base/nearest.js'
import {
  directiveSkillBroken,
  INCLUDED_BYTES_MAX,
  includeFailed,
  includeRefused,
} from '../../src/content/content-faults.js'
import type { ContentWork, ReadText } from '../../src/content/content-work.js'
import type { DirectiveSource, DirectiveTool } from '../../src/content/directive.js'
import { boundAt, isBelow, namespaceAt } from '../../src/index/unit-around.js'
import { withLabels } from '../../src/skill/near-tool.js'
import { parseReference } from '../../src/skill/reference.js'
import { toolBroken } from '../../src/skill/skill-faults.js'
import { findForAgent, toolsFrom } from '../call/agent-calls.js'
import type { RunContext } from '../call/run-context.js'
import { diagnosticInEntry } from '../directory/directory-diagnostics.js'
import { askLoaded, directoryStates } from '../directory/look-up.js'
import { localTools } from '../find/all-tools.js'
import { completeTool } from '../find/complete-tool.js'
import { mainInDir } from '../find/find-authority.js'
import { resolveWithin } from '../find/require-tool.js'
import { agentLimits } from '../policy/agent-limits.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'

/**
 * The files and tools that a directive can read: `entry` is its file's path entry, absolute, `file` relative to that.
 *
 * @param filled the call whose values are interpolated into the directive. An agent may choose them, so they may lead
 *   only to what it may have without approval. Undefined for what an author wrote
 */
export function directiveSource(
  entry: string,
  file: string,
  globals: Globals,
  work: ContentWork,
  filled?: RunContext,
): DirectiveSource {
  const state = directoryStates(globals).find(({ dir }) => dir === entry)
  const isAgents = filled?.envelope.as === 'agent'
  return {
    file,
    async readText(path) {
      if (filled) await expectSameSkill(entry, file, path, state, globals)
      return readText(entry, file, path, globals, work)
    },
    async findTool(ref) {
      const namespace = state ? namespaceAt(file, state) : ''
      if (isAgents) {
        const tool = await findForAgent(ref, globals, agentLimits(globals, filled), namespace)
        return tool && directiveTool(tool, entry, globals, true)
      }
      const path = parseReference(ref).kind === 'path' ? disk.resolve(entry, file, '..', ref) : ref
      const found = await resolveWithin(namespace, path, globals)
      const broken = found?.broken && diagnosticInEntry(found.broken, globals)
      if (broken) throw directiveSkillBroken(ref, broken)
      return found?.tool ? directiveTool(found.tool, entry, globals, filled !== undefined) : null
    },
    async nearestName(ref) {
      const tools = await (isAgents ? toolsFrom(filled, 'agent') : localTools(globals))
      return nearest(ref, withLabels(tools.map(({ name }) => name)))
    },
  }
}

function directiveTool(tool: ToolDef, entry: string, globals: Globals, isFilled: boolean): DirectiveTool {
  return {
    name: tool.name,
    async details() {
      const source = sourceOf(tool)
      const completed = source?.record.dynamic ? await completeTool(tool, source, globals) : null
      if (completed?.broken) throw toolBroken(tool.name, completed.broken)
      return tool.frontmatter
    },
    async content() {
      if (!tool.content) return null
      if (isFilled) throw includeFailed(tool.name, NOT_OWN)
      const { origin } = tool
      return {
        content: await tool.content(),
        file: origin.file,
        ...(origin.entry !== entry && { entry: origin.entry }),
      }
    },
  }
}

const SKILL_MD = /(?:^|[\\/])skill\.md$/i
const SINGLE_FILE = /\.skill\.(?:md|ts|js|mts|mjs)$/i
/** A file or folder that begins with a dot, such as the index and compiled modules. */
const DOT_NAME = /(?:^|\/)\./

/**
 * Throws unless a path leads to a file of the skill that contains it: for a folder skill, one in its folder that is in
 * no nested skill; for any other text, one beside or below it that is in no skill.
 */
async function expectSameSkill(
  entry: string,
  from: string,
  path: string,
  state: DirectoryState | undefined,
  globals: Globals,
): Promise<void> {
  const bound = disk.resolve(entry, boundAt(from, state ?? {}))
  const realPlace = (...parts: string[]): Promise<string | null> =>
    disk.realInside(disk.resolve(bound, '/'), disk.resolve(entry, ...parts))
  const top = await realPlace(bound)
  const own = await realPlace(from)
  const file = await realPlace(from, '..', path.replaceAll('\\', '/'))
  if (!top || !own || !file) throw includeFailed(path, NOT_OWN)
  const skill = SINGLE_FILE.test(own) ? null : await skillFolder(own)
  const inSkill = disk.inside(skill ?? disk.resolve(own, '..'), file)
  const isSkill = SKILL_MD.test(file) || SINGLE_FILE.test(file)
  if (inSkill === null || isSkill || DOT_NAME.test(inSkill) || (await skillFolder(file)) !== skill)
    throw includeFailed(path, NOT_OWN)

  /** The nearest skill folder around a file, or null. */
  async function skillFolder(inside: string): Promise<string | null> {
    const folder = disk.resolve(inside, '..')
    if (folder !== top && disk.inside(top as string, folder) === null) return null
    if (!(await hasSkill(folder))) return skillFolder(folder)
    // A main skill at the top does not own the files below.
    return folder === top && (await mainInDir(bound, globals))?.kind === 'folder' ? null : folder
  }

  async function hasSkill(folder: string): Promise<boolean> {
    const listed = disk.list(folder)
    if (listed) return listed.some(name => SKILL_MD.test(name))
    // A bundle cannot list folders, and has no links.
    const known = state && (await askLoaded(state, globals, index => index.paths()))
    return known?.some(one => SKILL_MD.test(one) && disk.resolve(entry, one, '..') === folder) ?? false
  }
}

const NOT_OWN = 'it is filled in, and leads to no file of the skill that names it'

/** Reads a file of the unit as text, once. */
async function readText(
  entry: string,
  from: string,
  path: string,
  globals: Globals,
  work: ContentWork,
): Promise<ReadText> {
  const absolute = disk.resolve(entry, from, '..', path.replaceAll('\\', '/'))
  const file = path.startsWith('/') ? null : disk.inside(entry, absolute)
  const bound = boundAt(from, directoryStates(globals).find(({ dir }) => dir === entry) ?? {})
  if (file === null || !isBelow(file, bound))
    throw includeFailed(path, 'it lies outside of the skills’ directory')
  return work.readOnce(`${entry}\0${file}`, () => readFile(entry, from, path, file, bound, globals))
}

async function readFile(
  entry: string,
  from: string,
  path: string,
  file: string,
  bound: string,
  globals: Globals,
): Promise<ReadText> {
  const absolute = disk.resolve(entry, file)
  const state = disk.stat(absolute)
  if (state === null) throw includeFailed(path, 'there is no such file')
  if (state.size > INCLUDED_BYTES_MAX)
    throw includeFailed(path, `it has more than ${INCLUDED_BYTES_MAX} bytes`)
  const [folder, inFolder] =
    bound === '' ? [entry, file] : [disk.resolve(entry, bound), file.slice(bound.length + 1)]
  const bytes = await disk.readInside(folder, inFolder).catch(error => {
    throw includeRefused(path, error)
  })
  if (bytes === null)
    throw includeFailed(path, 'it lies outside of the skills’ directory, or looks like a secret')
  if (globals.config.verify) {
    const { digestFor, expectSame } = await import('../directory/checked-files.js')
    expectSame(absolute, bytes, digestFor(entry, from, file, globals))
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), file }
  } catch (error) {
    throw includeFailed(path, 'it is not UTF-8 text', error)
  }
}
