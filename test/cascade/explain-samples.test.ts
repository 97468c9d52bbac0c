import { type Context, createRuntime, type JsonObject, type Runtime, type ToolDef } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { oneIn, some } from '../support/long.js'
import { layOut, samples } from '../support/sample.js'
import { makeTree } from '../support/tree.js'

/** Calls a tool with arguments that its `params` take, and says whether its body ran, or what was thrown before. */
async function outcomeOf(runtime: Runtime, tool: ToolDef): Promise<'ran' | { thrown: unknown }> {
  let ran = false
  const { fn } = tool
  const { delegate } = tool.frontmatter.metadata
  tool.fn = async (context, args) => {
    const ctx = context as Context
    // A middleware runs for another tool, too.
    if (ctx.envelope.target !== ctx) return fn(ctx, args)
    // A delegate may lead to another tool, which a call alone shows.
    if (typeof delegate === 'string') await fn(ctx, args)
    else await tool.load?.()
    ran = true
    return undefined
  }
  try {
    await runtime.invoke(tool.name, valid(tool.frontmatter.params))
    return 'ran'
  } catch (thrown) {
    return ran ? 'ran' : { thrown }
  } finally {
    tool.fn = fn
  }
}

/** A value that a schema takes, as far as the samples need. */
function valid(schema: JsonObject = {}): unknown {
  const { type, enum: choices, const: only, default: given, properties = {}, required = [] } = schema
  if (given !== undefined) return given
  if (only !== undefined) return only
  if (Array.isArray(choices)) return choices[0]
  if (type === 'array') return []
  if (type === 'boolean') return true
  if (type === 'number' || type === 'integer') return 1
  if (type === 'string') return 'text'
  const fields = properties as Record<string, JsonObject>
  return Object.fromEntries((required as string[]).map(key => [key, valid(fields[key])]))
}

/** Their code throws, hangs or exits as soon as it is imported: that a look at it does not tell. */
const RUNS_ALONE = ['2-resolve/code-faults']

const WAYS = some(['disk', 'index'])

describe('explain has a problem exactly where a call fails before the body', () => {
  it.each(oneIn(6, samples()).map(sample => [sample.id, sample] as const))('%s', async (id, sample) => {
    const { cwd, paths } = layOut(sample)
    for (const way of RUNS_ALONE.includes(id) ? ['index'] : WAYS) {
      if (way === 'index') await compile({ cwd, paths })
      const runtime = createRuntime({ cwd, paths, freshness: way === 'index' ? 'trust' : 'check' })
      for (const tool of (await runtime.listTools()).filter(({ origin }) => origin.layer !== 'bundled')) {
        const { problems } = await runtime.explain(tool.name)
        const outcome = await outcomeOf(runtime, tool)
        expect([way, tool.name, problems.length > 0, outcome]).toEqual([
          way,
          tool.name,
          outcome !== 'ran',
          outcome,
        ])
      }
      await runtime.close()
    }
  })

  it('names the tool at fault, however far in', async () => {
    const sample = samples().find(({ id }) => id === '2-resolve/faults-within')
    if (!sample) throw new Error('The sample is missing.')
    const { cwd, paths } = layOut(sample)
    const runtime = createRuntime({ cwd, paths })
    const told = async (name: string): Promise<string[]> =>
      (await runtime.explain(name)).problems.map(({ message }) => message)
    expect(await told('deeper')).toEqual(['in "misspelt", "$ordre" is not an annotation'])
    expect(await told('direct')).toEqual(['in "misspelt", "$ordre" is not an annotation'])
    expect(await told('hurried')).toEqual([
      expect.stringMatching(/^in "impatient", the middleware "timeout" cannot use its configuration: /),
    ])
    expect(await told('calm')).toEqual([])
    expect(await told('round')).toEqual([
      expect.stringMatching(/^in "ring-two", "ring-one" cannot run dynamically/),
    ])
    expect(await told('wrapped')).toEqual(['in "handing-on", the delegate "nowhere" leads to no tool'])
  })

  it('tells of arguments that cannot be checked', async () => {
    const params = '{ type: object, properties: { size: { type: whole } } }'
    const cwd = makeTree({
      'skills/a.skill.md': `---\nname: a\ndescription: A.\nmetadata: { params: ${params} }\n---\n`,
    })
    const runtime = createRuntime({ cwd, paths: ['skills'] })
    const { problems } = await runtime.explain('a')
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^params\.properties\.size\.type: /),
    ])
    await expect(runtime.invoke('a')).rejects.toMatchObject({ code: 'SCHEMA_INVALID' })
  })
})
