import { createRuntime, defineTool, emptyGlobals, invoke, registerTool } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeSkills, shown } from '../support/code-project.js'
import { isLong, some } from '../support/long.js'

const PARAMS = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

describe('other names of schemas in defineTool', () => {
  it.each(['params', 'inputSchema', 'parameters'])('%s are the arguments', async field => {
    const globals = emptyGlobals()
    await registerTool(
      globals,
      defineTool({ name: 'echo', [field]: PARAMS, execute: (args: unknown) => args } as never),
    )
    expect(await invoke('echo', { text: 'a' }, globals)).toEqual({ text: 'a' })
    await expect(invoke('echo', {}, globals)).rejects.toMatchObject({ code: 'ARGS_INVALID' })
  })

  it('outputSchema is the result', async () => {
    const globals = emptyGlobals()
    const outputSchema = { type: 'number' }
    await registerTool(globals, defineTool({ name: 'one', outputSchema, execute: () => 'one' }))
    await expect(invoke('one', {}, globals)).rejects.toMatchObject({ code: 'RESULT_INVALID' })
  })

  it('inputSchema and parameters are read from literals and from code', { tags: 'long' }, async () => {
    const fields = some(['inputSchema', 'parameters'])
    const file = (field: string): string => `import { defineTool } from 'agent-apps'
import { z } from 'zod'
export default defineTool({ name: '${field.toLowerCase()}-literal', description: 'x', ${field}: ${JSON.stringify(PARAMS)}, outputSchema: { type: 'string' }, execute: ({ text }) => text })
export const b = defineTool({ name: '${field.toLowerCase()}-library', description: 'x', ${field}: z.object({ text: z.string() }), execute: ({ text }) => text })
export const c = defineTool('${field.toLowerCase()}-later', async () => ({ description: 'x', ${field}: z.object({ text: z.string() }), execute: ({ text }) => text }))\n`
    const { dir } = codeSkills(Object.fromEntries(fields.map(field => [`${field}.skill.ts`, file(field)])))
    const { diagnostics } = await check({ paths: [dir], cwd: dir })
    expect(diagnostics.map(({ file, reason }) => [file, reason])).toEqual(
      fields.flatMap(field => [
        [`${field}.skill.ts`, expect.stringContaining('"metadata.params" is not a literal')],
        [`${field}.skill.ts`, expect.stringContaining('"frontmatter" is not a literal')],
      ]),
    )
    for (const via of ['disk', 'index'] as const) {
      if (via === 'index') expect((await compile({ paths: [dir], cwd: dir })).diagnostics).toEqual([])
      const runtime = createRuntime({ paths: [dir], library: false })
      for (const field of fields) {
        for (const kind of ['literal', 'library', 'later']) {
          const name = `${field.toLowerCase()}-${kind}`
          const tool = await runtime.findTool(name)
          expect(tool?.frontmatter.params, name).toMatchObject(PARAMS)
          expect(await runtime.invoke(name, { text: 'a' })).toBe('a')
        }
        const literal = await runtime.findTool(`${field.toLowerCase()}-literal`)
        expect(literal?.frontmatter.returns).toEqual({ type: 'string' })
      }
    }
  })

  it('two names of one field are refused', async () => {
    const both = { name: 'a', params: PARAMS, inputSchema: PARAMS, execute: () => 1 }
    expect(() => defineTool(both)).toThrow(
      expect.objectContaining({
        code: 'DEFINITION_INVALID',
        message: 'The tool "a" has "params" and "inputSchema", two names of one field.',
      }),
    )
    const { dir } = codeSkills({
      'a.skill.js': `import { defineTool } from 'agent-apps'
export default defineTool({ name: 'a', description: 'x', parameters: {}, inputSchema: {}, execute: () => 1 })\n`,
    })
    for (const work of [check, compile])
      expect((await work({ paths: [dir], cwd: dir })).diagnostics.map(shown)).toEqual([
        'a.skill.js:2:74 definition-duplicate error',
      ])
  })
})

describe('schemas that give no JSON Schema', () => {
  const file = `import { defineTool } from 'agent-apps'
import { z } from 'zod'
import { z as old } from 'zod/v3'
export default defineTool({
  name: 'fine',
  description: 'x',
  params: z.object({ text: z.string() }),
  execute: ({ text }) => text,
})
export const a = defineTool({
  name: 'old',
  description: 'x',
  params: old.object({}),
  execute: () => 1,
})
export const b = defineTool({
  name: 'dated',
  description: 'x',
  returns: z.object({ at: z.date() }),
  execute: () => 1,
})
export const c = defineTool({
  name: 'shape',
  description: 'x',
  params: { text: z.string() },
  execute: () => 1,
})
export const d = defineTool({
  name: 'text',
  description: 'x',
  params: z.string(),
  execute: () => 1,
})\n`
  const found = [
    [
      'a.skill.js:13:11 schema-unsupported error',
      'The schema "params" of "old" cannot be used: zod provides no JSON Schema of it',
    ],
    [
      'a.skill.js:19:12 schema-unsupported error',
      'The schema "returns" of "dated" cannot be used: zod cannot describe it as JSON Schema: Date cannot be represented in JSON Schema',
    ],
    [
      'a.skill.js:25:19 schema-unsupported error',
      'The schema "params" of "shape" cannot be used: it is an object of zod schemas, not a schema',
    ],
    ['a.skill.js:31:11 params-not-object error', expect.stringContaining('cannot be "string"')],
  ]

  it('are each reported once, at the schema, and leave the other tools of the file', {
    tags: 'long',
  }, async () => {
    const { dir } = codeSkills({ 'a.skill.js': file })
    const first = await compile({ paths: [dir], cwd: dir })
    expect(first.diagnostics.map(one => [shown(one), one.reason])).toEqual(found)
    const runtime = createRuntime({ paths: [dir], library: false })
    expect(await runtime.invoke('fine', { text: 'a' })).toBe('a')
    expect((await runtime.findTool('fine'))?.origin.via).toBe('index')
    await expect(runtime.invoke('old')).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
    const again = await compile({ paths: [dir], cwd: dir, check: true })
    const faults = again.diagnostics.filter(({ severity }) => severity === 'error')
    expect(faults.map(one => [shown(one), one.reason])).toEqual(found)
    expect(again.written).toEqual([])
  })

  it.runIf(isLong)('break their tool alone where the file was not compiled', async () => {
    const { dir } = codeSkills({ 'a.skill.js': file })
    const runtime = createRuntime({ paths: [dir], library: false })
    expect(await runtime.invoke('fine', { text: 'a' })).toBe('a')
    await expect(runtime.invoke('dated')).rejects.toMatchObject({
      code: 'TOOL_BROKEN',
      message: expect.stringContaining('Date cannot be represented in JSON Schema'),
    })
  })
})
