import type { Diagnostic } from '../base/diagnostic.js'
import { AgentAppsError } from '../base/error.js'
import type { Role } from './frontmatter.js'

/** Why a skill that is found cannot be used: what is wrong, as part of a sentence, and what to do. */
export interface Fault {
  message: string
  hint: string
}

/** What to do where another skill is at fault. */
export function mendFirst(hint: string): string {
  return `Mend that skill first. ${hint}`
}

/** What is wrong with a skill that does not load. Its file is given as it stands in its path entry. */
export function brokenFault({ file, line, reason, note }: Diagnostic): Fault {
  return { message: `${file}:${line}: ${reason}`, hint: note }
}

/** What is wrong with a skill whose name another one of its path entry has. Both files are given as they stand there. */
export function shadowedFault(file: string, name: string, first: string): Fault {
  return {
    message: `${file}: the name ${quoted(name)} is taken by ${first}, which comes first and is the one that loads`,
    hint: 'Rename one of the two.',
  }
}

/** What is wrong with a skill whose role reads like another one. */
export function roleFault(file: string, meant: Role): Fault {
  return {
    message: `${file}: it has an unknown role that reads like ${meant}`,
    hint: `If you meant ${meant}, correct the role; else write a role that there is, or none.`,
  }
}

/** What is wrong with the place of a main skill. */
export function mainFault({ file, line }: Pick<Diagnostic, 'file' | 'line'>): Fault {
  return {
    message: `the main skill in ${file}:${line} cannot be used`,
    hint: 'Mend that file; `agent-apps check` says what is wrong with it.',
  }
}

/** A key as it is shown, which may hold anything. */
export function quoted(key: unknown): string {
  return JSON.stringify(String(key).slice(0, 100))
}

/** What to do about delegates that lead round in a circle. */
export const CIRCLE_HINT = 'Let one of them do the work itself.'

/** The error for one of a skill's own files that is there, and that the system does not let be read. */
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

/** What is wrong with a middleware's configuration that does not fit its `params`: a sentence without a full stop, and what to do. */
export function middlewareConfigFault(key: string, problem: string): { message: string; hint: string } {
  return {
    message: `the middleware "${key}" cannot use its configuration: ${problem}`,
    hint: problem.endsWith(' not false')
      ? `\`false\` does not switch "${key}" off. Correct the value, or write \`null\` to do without "${key}".`
      : `Correct the value, or write \`false\` to switch "${key}" off where it takes that.`,
  }
}
