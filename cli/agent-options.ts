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
import { readChoice } from './read-choice.js'

/** The options of commands that do as an agent would. */
export const AGENT_OPTIONS: Command['options'] = {
  agent: { type: 'string', value: 'ID', describes: 'as this agent of the configuration' },
  trust: { type: 'boolean', describes: 'trust the project: its code, and all that its configuration says' },
  permissions: {
    type: 'string',
    multiple: true,
    value: 'LIST',
    describes: `grant these too, besides those of your own configuration: ${PERMISSIONS.join(',')}`,
  },
}

/**
 * Creates a runtime in which agents have what the user allows: the user's own configuration is the host's, and the
 * project's counts as far as the project is trusted.
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
  // Who names paths means these, whatever a configuration says.
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

/** The policy of the command: answers of the person at it are remembered for the project, unless they say otherwise. */
function policyOf(
  policy: RuntimePolicy = {},
  trusted: boolean,
  granted: readonly Permission[],
): RuntimePolicy {
  return {
    ...policy,
    ...(granted.length > 0 && { permissions: [...new Set([...(policy.permissions ?? []), ...granted])] }),
    approval: { remember: 'project', ...policy.approval },
    // This program is never part of a project, wherever it lies.
    trust: { project: trusted ? 'allow' : (policy.trust?.project ?? 'ask') },
  }
}

/**
 * The permissions that the command's `--permissions` grant: each takes several, with commas between them.
 *
 * @throws USAGE
 */
function grantedBy({ options: { permissions = [] } }: Invocation): Permission[] {
  const words = [permissions].flat().flatMap(list => String(list).split(','))
  return words.map(word => readChoice('permissions', word.trim(), PERMISSIONS))
}

/** The agent that the command's `--agent` names, or one without limits of its own. */
export function agentOf(runtime: Runtime, { options }: Invocation): ReturnType<Runtime['forAgent']> {
  return runtime.forAgent(typeof options.agent === 'string' ? options.agent : {})
}

const USER_FILE = '~/.config/agent-apps/config.json'

/** Hints for the person at the command, in place of those for a program: by code, or by rule. */
const HINTS: Readonly<Record<string, string>> = {
  AGENT_UNKNOWN: `Name one of \`agents\` in ${USER_FILE}, or trust the project that has it: --trust.`,
  APPROVAL_UNAVAILABLE: `Run it at a terminal, which asks you, or write a rule that allows the call into ${USER_FILE}.`,
  PERMISSION_MISSING: `Give --permissions, or \`permissions\` of \`policy\` in ${USER_FILE}, and of the agent that --agent names.`,
  'permission-missing': `Give --permissions, or add them to \`permissions\` of \`policy\` in ${USER_FILE}.`,
  'project-untrusted': 'Run the tool at a terminal, which asks you, or give --trust if the project is yours.',
}

/**
 * The tools that agents do not get as long as the project is not trusted, as a diagnostic for who writes a program;
 * undefined where they get all.
 */
export async function noteForPrograms(invocation: Invocation): Promise<Diagnostic | undefined> {
  const runtime = await openForAgents(invocation, false)
  await runtime.forAgent().listTools()
  const found = runtime.diagnostics().find(({ rule }) => rule === 'project-untrusted')
  return found && { ...found, note: `A program of the project gives them to agents. ${found.note}` }
}

/** Throws the error of an agent's call with what a person at the command can do about it. */
export function withCommandHint(error: unknown): never {
  const hint = isAgentAppsError(error) && HINTS[error.code]
  if (!hint) throw error
  const { code, message, tool } = error
  throw new AgentAppsError(code, message, { hint, ...(tool !== undefined && { tool }) })
}

/** Reports the problems that a runtime for agents has found so far. */
export function noteAgentDiagnostics(runtime: Pick<Runtime, 'diagnostics'>, invocation: Invocation): void {
  const found = runtime.diagnostics()
  noteAll(
    found.map(one => ({ ...one, note: HINTS[one.rule] ?? one.note })),
    invocation,
  )
}
