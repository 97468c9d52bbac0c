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
import { namespaceAt } from '../../src/index/namespace-at.js'
import { boundAt, isBelow } from '../../src/index/unit-around.js'
import { withLabels } from '../../src/skill/near-tool.js'
import { parseReference } from '../../src/skill/reference.js'
import { toolBroken } from '../../src/skill/skill-faults.js'
import { diagnosticInEntry } from '../directory/diagnostic-in-entry.js'
import { directoryStates } from '../directory/look-up.js'
import { allTools } from '../find/all-tools.js'
import { completeTool } from '../find/complete-tool.js'
import { resolveWithin } from '../find/resolve-within.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'

/** What a directive can read: `entry` is its file's path entry, absolute, and `file` relative to that. */
export function directiveSource(
  entry: string,
  file: string,
  globals: Globals,
  work: ContentWork,
): DirectiveSource {
  return {
    file,
    readText: path => readText(entry, file, path, globals, work),
    async findTool(ref) {
      const path = parseReference(ref).kind === 'path' ? disk.resolve(entry, file, '..', ref) : ref
      const state = directoryStates(globals).find(({ dir }) => dir === entry)
      const found = await resolveWithin(state ? namespaceAt(file, state) : '', path, globals)
      const broken = found?.broken && diagnosticInEntry(found.broken, globals)
      if (broken) throw directiveSkillBroken(ref, broken)
      return found?.tool ? directiveTool(found.tool, entry, globals) : null
    },
    async nearestName(ref) {
      const tools = await allTools(globals)
      return nearest(ref, withLabels(tools.map(({ name }) => name)))
    },
  }
}

function directiveTool(tool: ToolDef, entry: string, globals: Globals): DirectiveTool {
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
      const { origin } = tool
      return {
        content: await tool.content(),
        file: origin.file,
        ...(origin.entry !== entry && { entry: origin.entry }),
      }
    },
  }
}

/** The text of a file inside the unit, whatever links lead to it. */
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
    throw includeFailed(path, 'it is no UTF-8 text', error)
  }
}
