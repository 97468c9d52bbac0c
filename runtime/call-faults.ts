import { disk } from '#disk'
import { AgentAppsError } from '../src/error.js'
import { nearest } from '../src/nearest.js'
import type { UncopiedArguments } from './clone-arguments.js'
import type { RunContext } from './context.js'
import { askLoaded, directoryStates } from './directory-state.js'
import type { Globals } from './globals.js'
import type { ToolDef } from './tool-def.js'

/** The error for a reference that leads nowhere, with the nearest name that is known. */
export async function toolNotFound(ref: string, globals: Globals): Promise<AgentAppsError> {
  const near = nearest(ref, await knownNames(globals))
  return new AgentAppsError('TOOL_NOT_FOUND', `There is no tool ${JSON.stringify(ref)}.`, {
    hint: near === null ? listing() : `Did you mean "${near}"?`,
    tool: ref,
  })
}

/** What lists tools where this runs: a bundle has no command. */
function listing(): string {
  return disk?.via === 'index'
    ? 'See `agent-apps list` for those there are.'
    : '`runtime.listTools()` gives those there are.'
}

/** The error for a reference that is no text. */
export function noReference(ref: unknown): AgentAppsError {
  return new AgentAppsError(
    'OPTIONS_INVALID',
    `A tool is referred to by a text, not by ${ref === null ? 'null' : typeof ref}.`,
    {
      hint: 'Give its name, its path or a URI.',
    },
  )
}

/** The names of all directories, as far as they have been read. */
export async function knownNames(globals: Globals): Promise<string[]> {
  const host = disk
  if (host === null) return []
  const names: string[] = []
  for (const state of directoryStates(globals, host)) {
    const indexed = await askLoaded(state, globals, host, index => index.names())
    // With what was added since the index was written.
    names.push(...(indexed ?? []), ...(state.diskNames?.names() ?? []))
  }
  return names
}

/** The error for arguments that cannot be copied. */
export function argumentsRefused({ name }: ToolDef, { why, cause }: UncopiedArguments): AgentAppsError {
  return new AgentAppsError('ARGS_INVALID', `The arguments of "${name}" ${why}.`, {
    hint: 'Give plain data, as JSON has it, and less of it where it is much.',
    tool: name,
    cause,
  })
}

/** Names at each end of a long chain of calls that an error shows. */
const NAMES_SHOWN = 8

/** The error for a call that stands in too many others, with the names of all of them. */
export function depthExceeded(ctx: RunContext, maxDepth: number): AgentAppsError {
  const names: string[] = []
  for (let one: RunContext | undefined = ctx; one; one = one.caller) names.unshift(one.tool.name)
  if (names.length > 2 * NAMES_SHOWN) names.splice(NAMES_SHOWN, names.length - 2 * NAMES_SHOWN, '…')
  return new AgentAppsError(
    'DEPTH_EXCEEDED',
    `Tools call each other more than ${maxDepth} deep: ${names.join(' → ')}.`,
    {
      hint: isCircleOfDelegates(ctx)
        ? 'They delegate to each other in a circle: let one of them do the work itself.'
        : 'Let one of them end without calling another, or raise `maxDepth`.',
      tool: ctx.tool.name,
    },
  )
}

/** True where the last tools called only hand on the call, and came round to the same one. */
function isCircleOfDelegates({ tool, caller }: RunContext): boolean {
  for (let one = caller; one; one = one.caller) {
    if (typeof one.tool.frontmatter.metadata.delegate !== 'string') return false
    if (one.tool.name === tool.name) return true
  }
  return false
}
