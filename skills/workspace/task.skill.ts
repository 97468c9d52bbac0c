import { defineTool, isAgentAppsError, isToolResult, type ToolContext, type ToolResult } from 'agent-apps'

interface TaskArguments {
  description: string
  prompt: string
  agent?: string
}

export default defineTool({
  name: 'task',
  description:
    'Gives a task to another agent, which works on its own and answers once. It knows only the prompt.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['execute'] },
  params: {
    type: 'object',
    properties: {
      description: { type: 'string', minLength: 1, maxLength: 200, description: 'The task in a few words.' },
      prompt: {
        type: 'string',
        minLength: 1,
        maxLength: 100_000,
        description: 'All that the agent needs to know, and what to answer.',
      },
      agent: { type: 'string', minLength: 1, description: 'The skill that the agent follows.' },
    },
    required: ['description', 'prompt'],
    additionalProperties: false,
  },
  deriveApprovalKey: ({ agent, prompt }) => (agent === undefined ? String(prompt) : `${agent}: ${prompt}`),
  preview: ({ prompt }) => String(prompt),
  execute: async (args, ctx) => task(args as unknown as TaskArguments, ctx),
})

async function task({ description, prompt, agent }: TaskArguments, ctx: ToolContext): Promise<ToolResult> {
  ctx.update({ title: description })
  try {
    const result = await ctx.invoke('agent', { prompt, ...(agent !== undefined && { skill: agent }) })
    if (!isToolResult(result)) return { title: description, metadata: {}, output: result }
    const { metadata, output, attachments } = result
    return { title: description, metadata, output, ...(attachments && { attachments }) }
  } catch (error) {
    if (!isWithoutModel(error)) throw error
    return {
      title: description,
      metadata: { error: 'LLM_ASSIST_REQUIRED', description, prompt, ...(agent !== undefined && { agent }) },
      output: 'No model is configured for the task. The host may do it, or do it yourself.',
    }
  }
}

/** True if there is no tool `agent`, or no model for it. */
function isWithoutModel(error: unknown): boolean {
  if (!isAgentAppsError(error) || error.tool !== 'agent') return false
  return error.code === 'TOOL_NOT_FOUND' || error.code === 'MODEL_MISSING'
}
