import { type Context, ctxTarget, isToolResult } from 'agent-apps'
import { configFault } from './faults.js'

export const frontmatter = {
  name: 'limit',
  description: 'Cuts a result that is longer than a number of characters, and says so in it.',
  metadata: {
    role: 'middleware',
    tags: ['meta-middleware', 'meta-metadata'],
    params: {
      description: 'Characters; false for none.',
      type: ['integer', 'boolean'],
      not: { const: true },
      minimum: 1,
    },
  },
}

/**
 * `limit: 20000`; `false` for none. Cuts the output of a structured result. A value that is not a string is measured as JSON,
 * and becomes a string when it is cut. Surrogate pairs stay whole.
 */
export default async function limit(ctx: Context, config: unknown): Promise<unknown> {
  if (config === false) return undefined
  if (typeof config !== 'number' || !Number.isInteger(config) || config < 1)
    throw configFault('limit', 'a number of characters', '`limit: 20000`')
  const result = await ctx.manager.next()
  // A failure stays whole, and a value with a schema must not become a string.
  if (isFailure(result) || (typeof result !== 'string' && ctxTarget(ctx).run.tool.returns)) return undefined
  if (isToolResult(result)) {
    const output = cut(result.output, config)
    return output === result.output ? result : { ...result, output }
  }
  return cut(result, config)
}

function isFailure(result: unknown): boolean {
  return typeof (result as { error?: unknown } | null | undefined)?.error === 'string'
}

function cut(value: unknown, most: number): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text === undefined || text.length <= most) return value
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(most - 1))
  const kept = text.slice(0, isSplit ? most - 1 : most)
  return `${kept}\n[Cut: ${kept.length} of ${text.length} characters.]`
}
