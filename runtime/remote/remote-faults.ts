import { AgentAppsError } from '../../src/base/error.js'

/** The error for a server that gives no answer, or none that can be used now. */
export function unavailable(url: string, why: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('REMOTE_UNAVAILABLE', `${url} is not available: ${why}.`, {
    hint: 'Try again later. If it stays so, look at the server, and at `fetch` of the path entry.',
    modelHint: 'Try again later.',
    cause,
  })
}

export function missing(url: string): AgentAppsError {
  return new AgentAppsError('REMOTE_MISSING', `The server has no ${url}.`, {
    hint: 'Upload the whole release: `f` and `s` first, then `h`. Nothing that a pin in use needs may be deleted.',
  })
}

export function tooLarge(url: string, limit: number): AgentAppsError {
  return new AgentAppsError('REMOTE_TOO_LARGE', `${url} has more than the ${limit} bytes that it may have.`, {
    hint: 'It is not what was published, or the release is larger than a runtime reads.',
  })
}

export function tooManyToList(url: string, skills: number, most: number): AgentAppsError {
  return new AgentAppsError(
    'REMOTE_TOO_LARGE',
    `${url} has ${skills} tools, and at most ${most} are listed.`,
    {
      hint: 'Find tools by their names, or search for them.',
      modelHint: 'Search for a skill instead.',
    },
  )
}

export function differs(url: string): AgentAppsError {
  return new AgentAppsError('INTEGRITY_FAILED', `${url} is not what was published, and is not used.`, {
    hint: 'Upload the release again, or give the pin that `agent-apps publish` printed for the one that is there.',
  })
}

export function foreignFormat(url: string, what: string): AgentAppsError {
  return new AgentAppsError('REMOTE_FORMAT', `${url} ${what}.`, {
    hint: 'Publish with the version of agent-apps that the runtime is of.',
  })
}

export function notOnlyText(tool: string, url: string, why: string): AgentAppsError {
  return new AgentAppsError(
    'REMOTE_CODE',
    `The tool "${tool}" of ${url} ${why}, and remote skills are only texts.`,
    {
      hint: 'Install the skill on this machine to use it, or publish it as a text.',
      modelHint: 'This skill cannot be used here. Use another one.',
      tool,
    },
  )
}
