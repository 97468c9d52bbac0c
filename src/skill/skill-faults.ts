import type { Diagnostic } from '../base/diagnostic.js'
import { AgentAppsError } from '../base/error.js'

/** Why an existing skill cannot be used: the fault, as part of a sentence, and the remedy. */
export interface Fault {
  message: string
  hint: string
}

/** Returns the remedy for a fault of another skill. */
export function mendFirst(hint: string): string {
  return `Correct that skill first. ${hint}`
}

/** Returns the fault of a skill that does not load. Its file is relative to its path entry. */
export function brokenFault({ file, line, reason, note }: Diagnostic): Fault {
  return { message: `${file}:${line}: ${reason}`, hint: note }
}

/**
 * Returns the fault of a skill whose name another skill of its path entry has. Both files are relative to the
 * entry.
 */
export function shadowedFault(file: string, name: string, first: string): Fault {
  return {
    message: `${file}: the name ${quoted(name)} is taken by ${first}, which comes first and is the one that loads`,
    hint: 'Rename one of the two.',
  }
}

/** Returns the fault of a skill whose role is almost "middleware". */
export function roleFault(file: string): Fault {
  return {
    message: `${file}: it has an unknown role that reads like middleware`,
    hint: 'If you meant middleware, correct the role; else write a known role, or none.',
  }
}

export function mainFault({ file, line }: Pick<Diagnostic, 'file' | 'line'>): Fault {
  return {
    message: `the main skill in ${file}:${line} cannot be used`,
    hint: 'Correct that file; `agent-apps check` shows its faults.',
  }
}

/** Quotes a key, which may contain any characters. */
export function quoted(key: unknown): string {
  return JSON.stringify(String(key).slice(0, 100))
}

/** The remedy for delegates that form a cycle. */
export const CYCLE_HINT = 'Let one of them do the work itself.'

/** Returns the error for one of a skill's own files that exists and that the system refuses to read. */
export function resourceUnreadable(tool: string, file: string, cause: unknown): AgentAppsError {
  const { message } = cause as Error
  return new AgentAppsError(
    'RESOURCE_UNREADABLE',
    `The file ${file} of the skill "${tool}" cannot be read: ${message}.`,
    {
      hint: 'Let this process read it. One of more than 2 GiB is too large to be read at once.',
      tool,
      file,
      cause,
    },
  )
}

/**
 * Returns the fault of a middleware's configuration that does not match its `params`: a sentence without a
 * full stop, and the remedy.
 */
export function middlewareConfigFault(key: string, problem: string): { message: string; hint: string } {
  return {
    message: `the middleware "${key}" cannot use its configuration: ${problem}`,
    hint: problem.endsWith(' not false')
      ? `\`false\` does not switch "${key}" off. Correct the value, or write \`null\` to do without "${key}".`
      : `Correct the value, or write \`false\` to switch "${key}" off where it takes that.`,
  }
}

/** Returns the error for a tool whose file has a diagnostic that prevents it from loading. */
export function toolBroken(tool: string, { file, line, column, reason, note }: Diagnostic): AgentAppsError {
  return new AgentAppsError(
    'TOOL_BROKEN',
    `The tool "${tool}" cannot be loaded: ${file}:${line}:${column}: ${reason}`,
    {
      hint: note,
      tool,
      file,
      position: { line, column },
    },
  )
}
