import { resolve } from 'node:path'
import { findAuthority, mainInDir, pathEntryDir, type Runtime, type ToolDef } from 'agent-apps'
import type { Config } from 'agent-apps/compiler'
import { isGuard, readGuards } from '../../src/policy/guards.js'
import type { PagePolicy, PolicyAgent, PolicyLimits, PolicyList, PolicyTool } from './page-data.js'

type Configured = Pick<Config, 'policy' | 'agents'>
type ConfiguredAgent = NonNullable<Configured['agents']>[number]

/** Collects what each agent of the configuration is offered, and what decides about its calls. */
export async function collectPolicy(
  tools: readonly ToolDef[],
  configured: Configured,
  runtime: Runtime,
  cwd: string,
): Promise<PagePolicy> {
  const agents: PolicyAgent[] = []
  for (const agent of [null, ...(configured.agents ?? [])])
    agents.push(await policyAgent(agent, configured, runtime))
  const project = await projectMain(runtime, cwd)
  const entries: [string, PolicyTool][] = []
  for (const tool of tools) entries.push([tool.name, await policyTool(tool, project, runtime)])
  return { agents, tools: Object.fromEntries(entries) }
}

async function policyAgent(
  agent: ConfiguredAgent | null,
  configured: Configured,
  runtime: Runtime,
): Promise<PolicyAgent> {
  const { tools, withheld } = await runtime.forAgent(agent === null ? {} : agent.id).offer()
  return {
    id: agent?.id ?? null,
    limits: limitsOf(configured, agent),
    offered: tools.map(({ name }) => name),
    withheld: withheld.map(({ tool, why, grant }) => ({ name: tool.name, why, grant })),
  }
}

/** The limits in the order in which a runtime asks them: the project's, then the agent's. */
function limitsOf({ policy = {} }: Configured, agent: ConfiguredAgent | null): PolicyLimits {
  const project = { ...policy, by: "the project's configuration" }
  const own = agent && { ...agent, ...agent.tools, by: 'the policy' }
  const written = [project, ...(own ? [own] : [])]
  const lists = (key: 'allow' | 'deny' | 'rules'): PolicyList[] =>
    written.flatMap(({ by, [key]: patterns }) =>
      patterns === undefined ? [] : [{ by, patterns: [patterns].flat() }],
    )
  const { mode, allow = [] } = policy.approval ?? {}
  const allowed = mode === 'allowlist' ? [{ by: 'the runtime', patterns: [allow].flat() }] : []
  return {
    allow: lists('allow'),
    deny: lists('deny'),
    rules: [...allowed, ...lists('rules')],
    permissions: written.flatMap(({ by, permissions }) =>
      permissions ? [{ by, granted: permissions }] : [],
    ),
    skipsApproval: mode === 'yolo',
  }
}

async function policyTool(tool: ToolDef, project: ToolDef | null, runtime: Runtime): Promise<PolicyTool> {
  const { name, label, frontmatter } = tool
  const guards = Object.fromEntries(Object.entries(frontmatter.metadata).filter(([key]) => isGuard(key)))
  const nearest = await findAuthority(tool, runtime.globals)
  const mains = [
    { main: project, mayAllow: true },
    { main: nearest?.name === project?.name ? null : nearest, mayAllow: false },
  ]
  return {
    guards,
    ...(name !== label && { isMeant: (await runtime.findTool(label))?.name === name }),
    skillRules: mains.flatMap(({ main, mayAllow }) => {
      const rules = main ? readGuards(main.frontmatter.metadata).rules : []
      return main && rules.length > 0
        ? [{ skill: main.name, patterns: rules.map(({ text }) => text), mayAllow }]
        : []
    }),
  }
}

/** The main skill at the top of the first path entry that has one. */
async function projectMain({ globals }: Runtime, cwd: string): Promise<ToolDef | null> {
  for (const entry of globals.config.paths) {
    const directory = pathEntryDir(entry)
    const main = directory === null ? null : await mainInDir(resolve(cwd, directory), globals)
    if (main && main.origin.layer === 'project') return main
  }
  return null
}
