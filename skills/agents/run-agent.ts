import {
  AgentAppsError,
  type AgentRuntime,
  type AgentSkill,
  type Context,
  ctxAgent,
  ctxFolder,
  type Model,
  readResource,
  type ToolDef,
} from 'agent-apps'
import type { OwnFiles } from 'agent-apps/ai-sdk'
import { isLibrary } from '../tool-summary.js'
import { Run } from './agent-run.js'

interface AgentJob {
  /** The agent with its limits. */
  agent: AgentRuntime
  /** The skill that it follows; null for none. */
  skill: ToolDef | null
  instructions: () => Promise<{ text: string; own: OwnFiles | null }>
  prompt: string
  /** True if the job or its skill selects its tools. */
  isNarrowed: boolean
}

const ABOUT = `You work on one task, on your own. Nobody answers questions, so decide yourself what is left open.
When you are done, give your result: it is all that is read of you.`

/** The library's tools about other tools, which the catalog already describes. */
const ABOUT_TOOLS: readonly string[] = ['agent-discover', 'skill-describe', 'skill-list']

/**
 * Runs a model on a job, in the call of a context, and returns its result.
 *
 * @throws MODEL_MISSING, AGENT_LIMIT, AGENT_NO_RESULT, AGENT_FAILED, RUN_ABORTED; DEFINITION_INVALID for an invalid `agent` of
 *   the skill
 */
export async function runAgent(ctx: Context, { agent, skill, ...job }: AgentJob): Promise<unknown> {
  const about = await ctxAgent(ctx, skill)
  const model = modelFor(ctx, about)
  const { runAgent: work } = await loadLoop(ctx)
  const run = new Run(ctx, skill?.name ?? ctx.run.tool.name, about)
  try {
    const { text, own } = await job.instructions()
    const { returns: schema } = about
    return await work(
      {
        ...{ model, agent, own, prompt: job.prompt },
        system: text === '' ? ABOUT : `${ABOUT}\n\n${text}`,
        expected: schema && { schema, check: run.check },
        named: ['context-manager', ...(job.isNarrowed ? callbacksOf(ctx) : [])],
        // In a workspace, agents can run scripts of skills.
        directory: ctx.globals.config.workspace !== undefined,
        isLeftOut: tool =>
          tool.name === skill?.name ||
          (!job.isNarrowed && isLibrary(tool) && ABOUT_TOOLS.includes(tool.name)),
      },
      run,
    )
  } finally {
    run.close()
  }
}

/** The names of `createCallbackRef`, which no list contains: the host describes them to the model. */
function callbacksOf({ globals }: Context): string[] {
  return [...globals.tools.programmaticTools.values()]
    .filter(({ frontmatter }) => frontmatter.tags.includes('meta-agent-run'))
    .map(({ name }) => name)
}

/** Throws MODEL_MISSING if the runtime has no models. */
export function expectModels(ctx: Context): void {
  if (ctx.globals.models === undefined) throw modelMissing(ctx, 'default')
}

function modelFor(ctx: Context, { model: name }: AgentSkill): Model {
  const { models } = ctx.globals
  const model = models && Object.hasOwn(models, name) ? models[name] : undefined
  if (model === undefined) throw modelMissing(ctx, name)
  if (!isModel(model))
    throw new AgentAppsError('OPTIONS_INVALID', `\`models\` has no valid model ${JSON.stringify(name)}.`, {
      hint: 'Give a language model of the AI SDK, or the id of one as a string.',
      tool: ctx.run.tool.name,
    })
  return model
}

function isModel(model: unknown): boolean {
  return typeof model === 'string' || (typeof model === 'object' && model !== null && 'doGenerate' in model)
}

function modelMissing(ctx: Context, name: string): AgentAppsError {
  const key = name === 'default' ? name : JSON.stringify(name)
  const names = Object.keys(ctx.globals.models ?? {})
  const known = names.length === 0 ? '' : ` The models are ${names.join(', ')}.`
  return new AgentAppsError('MODEL_MISSING', `There is no model ${JSON.stringify(name)} to run an agent.`, {
    hint: `Give one to the host's \`createRuntime({ models: { ${key}: … } })\`: a language model of the AI SDK.${known}`,
    tool: ctx.run.tool.name,
  })
}

/** Loads the agent loop, which needs the AI SDK. */
async function loadLoop(ctx: Context): Promise<typeof import('agent-apps/ai-sdk')> {
  try {
    return await import('agent-apps/ai-sdk')
  } catch (cause) {
    if (!(cause instanceof Error && /package 'ai'/.test(cause.message))) throw cause
    throw new AgentAppsError('MODEL_MISSING', 'Models need the package `ai`, which is not installed.', {
      hint: 'Install `ai`, the AI SDK, beside agent-apps.',
      tool: ctx.run.tool.name,
      cause,
    })
  }
}

/** The files of the skill that an agent follows, which it may always read. */
export async function filesOf(ctx: Context, skill: ToolDef): Promise<OwnFiles> {
  const { resources } = await ctxFolder(ctx, skill)
  return { name: skill.name, files: resources, read: path => readResource(skill.name, path, ctx.globals) }
}
