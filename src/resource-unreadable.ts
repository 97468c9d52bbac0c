import { AgentAppsError } from './error.js'

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
