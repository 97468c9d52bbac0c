import {
  AgentAppsError,
  type AgentRuntime,
  type Context,
  ctxRuntime,
  defineTool,
  type ToolContext,
  type ToolDef,
} from 'agent-apps'
import { expectModels, filesOf, runAgent } from './agents/run-agent.js'

interface AgentArguments {
  prompt: string
  skill?: string
  allowedTools?: string | readonly string[]
}

/**
 * A name, or a glob with only `*`. A rule such as `agent(allowedTools=file-*)` compares it as a string, so a match must not
 * allow more than the rule: with braces, tags or constraints, it could.
 */
const TOOLS = { type: 'string', pattern: '^[\\w:.*-]{1,200}$' } as const

export default defineTool({
  name: 'agent',
  description:
    'Starts an agent, which works on a task on its own and answers once. It knows only the prompt.',
  tags: ['meta-runnable'],
  params: {
    type: 'object',
    properties: {
      prompt: {
        type: 'string',
        minLength: 1,
        maxLength: 100_000,
        description: 'The task, with all that the agent needs to know.',
      },
      skill: { type: 'string', minLength: 1, description: 'The skill that the agent follows.' },
      allowedTools: {
        anyOf: [TOOLS, { type: 'array', items: TOOLS, maxItems: 100 }],
        description:
          'The only tools that it gets, by names in which `*` stands for anything. Default: yours.',
      },
    },
    required: ['prompt'],
    additionalProperties: false,
  },
  execute: (args, ctx) => startAgent(args as unknown as AgentArguments, ctx),
})

/** Runs an agent below the one that calls the tool. */
async function startAgent(
  { prompt, skill: ref, allowedTools }: AgentArguments,
  own: ToolContext,
): Promise<unknown> {
  const ctx = ctxRuntime(own)
  expectModels(ctx)
  const above = ctx.manager.spawn({}) as AgentRuntime
  const skill = ref === undefined ? null : (await above.describe(ref)).tool
  if (skill) expectNoArguments(skill)
  const narrowed = allowedTools === undefined ? above : narrowedTo([allowedTools].flat(), above)
  return runAgent(ctx, {
    agent: skill ? narrowed.within(skill.name) : narrowed,
    skill,
    prompt,
    isNarrowed: allowedTools !== undefined || skill?.frontmatter['allowed-tools'] !== undefined,
    async instructions() {
      if (!skill) return { text: '', own: null }
      const { content } = await above.open(skill.name, undefined, { signal: ctx.run.signal })
      return { text: content, own: await filesOf(ctx, skill) }
    },
  })
}

/** Refuses a skill that needs arguments, since an agent is started without any. */
function expectNoArguments({ name, frontmatter: { params } }: ToolDef): void {
  const required = params?.required
  if (!Array.isArray(required) || required.length === 0) return
  throw new AgentAppsError('ARGS_INVALID', `The skill "${name}" needs arguments: ${required.join(', ')}.`, {
    hint: 'Call the skill itself, with its arguments.',
    tool: name,
  })
}

/** An agent that gets only certain tools; none for an empty list. */
function narrowedTo(tools: readonly string[], agent: AgentRuntime): AgentRuntime {
  return agent.spawn(tools.length === 0 ? { deny: '*' } : { allow: tools })
}

/**
 * Runs a skill with `metadata.agent` by a model, in the call of that skill. The runtime calls this.
 *
 * @param render returns the skill's text
 */
export async function runSkill(
  ctx: Context,
  skill: ToolDef,
  render: () => Promise<string>,
): Promise<unknown> {
  return runAgent(ctx, {
    // Its calls count as the skill's, so that the skill's `allowed-tools` and rules apply.
    agent: ctx.manager.spawn({}) as AgentRuntime,
    skill,
    prompt: promptOf(ctx.args),
    isNarrowed: skill.frontmatter['allowed-tools'] !== undefined,
    instructions: async () => ({ text: await render(), own: await filesOf(ctx, skill) }),
  })
}

function promptOf(args: unknown): string {
  const isGiven = typeof args === 'object' && args !== null && Object.keys(args).length > 0
  return isGiven ? `Arguments:\n${JSON.stringify(args, null, 2)}` : 'Do what your instructions say.'
}
