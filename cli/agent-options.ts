import {
  createRuntime,
  type Diagnostic,
  type Interact,
  type PathEntry,
  type Runtime,
  type RuntimePolicy,
} from 'agent-apps'
import { guessedDirectories, loadConfig } from 'agent-apps/compiler'
import { AgentAppsError, isAgentAppsError } from '../src/base/error.js'
import { PERMISSIONS, type Permission } from '../src/base/permissions.js'
import { type Command, type Invocation, projectOptions } from './command.js'
import { noteAll } from './open-runtime.js'
import { readChoice } from './read-option.js'
import { usageError } from './usage-error.js'

export const AGENT_OPTIONS: Command['options'] = {
  agent: { type: 'string', value: 'ID', describes: 'act as this agent of the configuration' },
  trust: { type: 'boolean', describes: 'trust the code and the configuration of the project' },
  permissions: {
    type: 'string',
    multiple: true,
    value: 'LIST',
    describes: `grant these besides those of your own configuration: ${PERMISSIONS.join(',')}`,
  },
}

/** Throws USAGE for an option of agents in a command that does not act as one, which `flag` would change. */
export function refuseAgentOptions({ options }: Invocation, flag: string): void {
  const idle = Object.keys(AGENT_OPTIONS).find(name => options[name] !== undefined)
  if (idle !== undefined)
    throw usageError(`--${idle} requires ${flag}.`, `Add ${flag}, or leave out --${idle}.`)
}

/**
 * Creates a runtime that limits agents by the user's own configuration, and by the project's as far as the project is
 * trusted.
 *
 * @param evaluate whether the command may run code
 */
export async function openForAgents(
  invocation: Invocation,
  evaluate: boolean,
  interact?: Interact,
): Promise<Runtime> {
  const { cwd, paths, ...given } = projectOptions({ ...invocation, positionals: [] })
  const { workspace } = invocation.options
  const trusted = invocation.options.trust === true
  const loaded = await loadConfig({ cwd, global: true, trusted, ...given })
  const { user } = loaded
  // Paths of the command line replace the configuration.
  const config = paths ? {} : loaded.config
  const searched = paths ?? loaded.paths
  return createRuntime({
    paths: [
      ...searched,
      ...(await guessedDirectories(searched)).map((dir): PathEntry => (paths ? dir : { dir, trust: 'ask' })),
    ],
    cwd,
    evaluate,
    ...(!paths && { project: loaded.project }),
    policy: policyOf(user.policy, trusted, grantedBy(invocation)),
    freshness: config.freshness ?? 'check',
    library: config.library ?? true,
    external: config.external ?? [],
    ...(user.agents && { agents: user.agents }),
    ...(interact && { interact }),
    ...(typeof workspace === 'string' && { workspace }),
  })
}

/** The command's policy. Answers are remembered for the project unless the person says otherwise. */
function policyOf(
  policy: RuntimePolicy = {},
  trusted: boolean,
  granted: readonly Permission[],
): RuntimePolicy {
  return {
    ...policy,
    ...(granted.length > 0 && { permissions: [...new Set([...(policy.permissions ?? []), ...granted])] }),
    approval: { remember: 'project', ...policy.approval },
    // The command itself is never code of the project, wherever it is installed.
    trust: { project: trusted ? 'allow' : (policy.trust?.project ?? 'ask') },
  }
}

/** Reads `--permissions`, comma-separated and repeatable. Throws USAGE. */
function grantedBy({ options: { permissions = [] } }: Invocation): Permission[] {
  const words = [permissions].flat().flatMap(list => String(list).split(','))
  return words.map(word => readChoice('permissions', word.trim(), PERMISSIONS))
}

/** The agent that `--agent` names, or one without limits of its own. */
export function agentOf(runtime: Runtime, { options }: Invocation): ReturnType<Runtime['forAgent']> {
  return runtime.forAgent(typeof options.agent === 'string' ? options.agent : {})
}

const USER_FILE = '~/.config/agent-apps/config.json'

/** Hints for the command line, in place of those for a program, by error code or rule. */
const HINTS: Readonly<Record<string, string>> = {
  AGENT_UNKNOWN: `Name one of \`agents\` in ${USER_FILE}, or add --trust if the project declares it.`,
  APPROVAL_UNAVAILABLE: `Run it in a terminal to be asked, or add a rule that allows the call to ${USER_FILE}.`,
  PERMISSION_MISSING: `Add --permissions, or set \`permissions\` of \`policy\` in ${USER_FILE}, and of the agent that --agent names.`,
  'permission-missing': `Add --permissions, or add them to \`permissions\` of \`policy\` in ${USER_FILE}.`,
  'project-untrusted': 'Run the tool in a terminal to be asked, or add --trust if the project is yours.',
}

/** A diagnostic about the tools that agents do not get while the project is not trusted; undefined if they get all. */
export async function noteForPrograms(invocation: Invocation): Promise<Diagnostic | undefined> {
  const runtime = await openForAgents(invocation, false)
  await runtime.forAgent().listTools()
  const found = runtime.diagnostics().find(({ rule }) => rule === 'project-untrusted')
  return (
    found && {
      ...found,
      note: 'Programs of the project give them to agents. `agent-apps mcp` does so with --trust.',
    }
  )
}

/** Throws an agent's error again, with the hint for the command line. */
export function withCommandHint(error: unknown): never {
  const hint = isAgentAppsError(error) && HINTS[error.code]
  if (!hint) throw error
  const { code, message, tool } = error
  throw new AgentAppsError(code, message, { hint, ...(tool !== undefined && { tool }) })
}

export function noteAgentDiagnostics(runtime: Pick<Runtime, 'diagnostics'>, invocation: Invocation): void {
  const found = runtime.diagnostics().map(one => ({ ...one, note: HINTS[one.rule] ?? one.note }))
  noteAll(found, invocation)
}
