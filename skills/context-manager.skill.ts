import { type Context, ctxRuntime, defineTool, outputForModel, type ToolContext } from 'agent-apps'
import { type ManagedRun, runOfCaller } from './agents/agent-run.js'

type Operation =
  | { op: 'finish'; result?: unknown }
  | { op: 'fail'; reason?: string }
  | { op: 'drop'; skill?: string; path?: string }
  | { op: 'summarize'; skill?: string; path?: string; text?: string }

export default defineTool({
  name: 'context-manager',
  description: 'Drops or summarizes a skill that you opened, or ends your work.',
  tags: ['meta-agent-run'],
  params: {
    type: 'object',
    properties: {
      op: {
        enum: ['finish', 'fail', 'drop', 'summarize'],
        description:
          'drop: takes a skill out of what you have read. summarize: puts your summary in its place. finish: ends your work with a result. fail: gives it up.',
      },
      skill: {
        type: 'string',
        minLength: 1,
        description: 'For drop and summarize: the skill that you opened.',
      },
      path: {
        type: 'string',
        minLength: 1,
        description: 'For drop and summarize: only this file of the skill.',
      },
      text: { type: 'string', minLength: 1, maxLength: 100_000, description: 'For summarize: the summary.' },
      result: { description: 'For finish: the result of your work.' },
      reason: { type: 'string', minLength: 1, maxLength: 10_000, description: 'For fail: why.' },
    },
    required: ['op'],
    additionalProperties: false,
  },
  execute: (args, ctx) => manage(args as unknown as Operation, ctx),
})

async function manage(operation: Operation, own: ToolContext): Promise<unknown> {
  const ctx: Context = ctxRuntime(own)
  const run = runOfCaller(ctx)
  if (!run)
    return failure(
      'NO_AGENT',
      'Only an agent that the tool `agent` started, or a skill with `agent`, can use this tool.',
    )
  switch (operation.op) {
    case 'finish':
      return finish(operation.result, run)
    case 'fail':
      if (operation.reason === undefined) return lacking('reason')
      run.fail(operation.reason)
      return 'Your work has ended.'
    case 'drop':
      return replace(operation, '(You dropped this text. Open it again if you need it.)', run)
    case 'summarize':
      return operation.text === undefined ? lacking('text') : replace(operation, operation.text, run)
  }
}

/** Ends the work with a result that fits `returns`, or with text if there is no `returns`. */
async function finish(result: unknown, run: ManagedRun): Promise<unknown> {
  await run.check(result, 'Finish again, with a `result` that fits.')
  run.finish(run.skill.returns ? result : outputForModel(result))
  return 'Your work has ended.'
}

function replace({ skill, path }: { skill?: string; path?: string }, text: string, run: ManagedRun): unknown {
  if (skill === undefined) return lacking('skill')
  const { replaced, open } = run.replace(text, skill, path)
  const still = open.length === 0 ? 'Nothing is open.' : `Open: ${open.join(', ')}.`
  if (replaced > 0) return `It is gone from your next step on. ${still}`
  const what = path === undefined ? JSON.stringify(skill) : `${path} of ${JSON.stringify(skill)}`
  return failure('NOT_OPEN', `You have not opened ${what}. ${still}`)
}

function lacking(name: string): unknown {
  return failure('ARGS_INVALID', `Call it with \`${name}\`, too.`)
}

function failure(error: string, message: string): unknown {
  return { error, message }
}
