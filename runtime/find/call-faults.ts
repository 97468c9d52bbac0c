import { disk } from '#disk'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import { AgentAppsError } from '../../src/base/error.js'
import { nearest } from '../../src/base/nearest.js'
import type { BrokenRecord } from '../../src/index/index-format.js'
import { withLabels } from '../../src/skill/near-tool.js'
import { parseReference } from '../../src/skill/reference.js'
import { toolBroken } from '../../src/skill/skill-faults.js'
import { noteBroken } from '../directory/directory-diagnostics.js'
import { askLoaded, directoryStates } from '../directory/look-up.js'
import type { Globals } from '../state/context.js'
import type { Found } from '../state/directory-state.js'
import type { Resolution } from '../state/tool-def.js'

/** The error for a reference that was not found, with the nearest known name and missing directories. */
export async function toolNotFound(ref: string, globals: Globals): Promise<AgentAppsError> {
  const missing = missingDirectories(globals)
  const nor = missing.length === 0 ? '' : `, and there is no directory ${missing.join(' or ')}`
  const message = `There is no tool ${JSON.stringify(ref)}${nor}.`
  if (await needsWorkspace(ref, globals)) {
    const hint =
      'It needs a workspace: give createRuntime the option `workspace`, or the command `--workspace DIR`.'
    return new AgentAppsError('TOOL_NOT_FOUND', message, { hint, tool: ref })
  }
  const near = nearest(ref, withLabels(await knownNames(globals)))
  return new AgentAppsError('TOOL_NOT_FOUND', message, {
    hint:
      near !== null
        ? `Did you mean "${near}"?`
        : missing.length > 0
          ? 'Correct `paths`, or create the directory. Relative paths start from `cwd`.'
          : listing(),
    tool: ref,
  })
}

/** The searched directories that still do not exist. */
function missingDirectories({ diagnostics }: Globals): string[] {
  const noted = [...diagnostics.values()].filter(({ rule }) => rule === 'path-missing')
  return noted.map(({ file }) => file).filter(dir => !disk.isDirectory(dir))
}

/** True for a tool of the library that needs a workspace, which the host did not open. */
async function needsWorkspace(name: string, globals: Globals): Promise<boolean> {
  if (globals.config.workspace) return false
  for (const state of directoryStates(globals)) {
    // The look-up hides only such tools of the library.
    if (state.library && (await askLoaded(state, globals, index => index.tool(name)))) return true
  }
  return false
}

/** Advice on listing the tools: a bundle has no command for that. */
function listing(): string {
  return disk.via === 'index'
    ? '`agent-apps list` shows the tools.'
    : '`runtime.listTools()` gives those there are.'
}

/** The resolution of a reference to a file whose faults leave no tool. */
export function brokenTool(found: Found & { record: BrokenRecord }, globals: Globals): Resolution {
  noteBroken(found, globals)
  const { state, record } = found
  return { broken: { ...record.broken, file: disk.resolve(state.dir, record.file) } }
}

/** Throws TOOL_BROKEN for a broken file that was named by its path. A bare name of one finds nothing instead. */
export function refuseBrokenPath(ref: string, broken: Diagnostic): void {
  const { kind } = parseReference(ref)
  if (kind === 'path' || kind === 'file-url') throw toolBroken(ref, broken)
}

/** The error for a reference that is not a string. */
export function noReference(ref: unknown): AgentAppsError {
  return new AgentAppsError(
    'OPTIONS_INVALID',
    `A tool reference must be a string, not ${ref === null ? 'null' : typeof ref}.`,
    {
      hint: 'Give its name, its path or a URI.',
    },
  )
}

/** The names in all indexes, and in directories without one whose files were read. */
export async function knownNames(globals: Globals): Promise<string[]> {
  const names: string[] = []
  for (const state of directoryStates(globals)) {
    const indexed = await askLoaded(state, globals, index => (state.snapshot?.names ?? index).names())
    names.push(...(indexed ?? state.snapshot?.names?.names() ?? []))
  }
  return names
}

/** The number of names that an error shows at each end of a long chain of calls. */
export const NAMES_SHOWN = 8
