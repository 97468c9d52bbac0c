import { AgentAppsError } from 'agent-apps'

/** The error of a directive, which gets its location later. */
export function directiveFault(message: string, hint: string): AgentAppsError {
  return new AgentAppsError('DIRECTIVE_FAILED', message, { hint })
}

/** The error of a middleware whose configuration is not what it expects, as `example` shows. */
export function configFault(tool: string, expected: string, example: string): AgentAppsError {
  return new AgentAppsError('MIDDLEWARE_CONFIG', `\`${tool}\` is not ${expected}.`, {
    hint: `Write ${example}, or \`${tool}: false\` for none.`,
    tool,
  })
}
