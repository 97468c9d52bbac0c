import { createRuntime, defineTool } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeSkills, shown } from '../support/code-project.js'
import { oneIn } from '../support/long.js'

describe('defineTool by way of all that agent-apps exports', () => {
  it.each([
    ['js', 'A.defineTool({', '})'],
    ['js', "A['defineTool']({", '})'],
    ['ts', 'A.defineTool({', '} as const)'],
  ])('.%s: %s', async (ending, open, close) => {
    const { dir } = codeSkills({
      [`a.skill.${ending}`]: `import * as A from 'agent-apps'
export const first = ${open} name: 'a-one', description: 'x', execute: () => 1 ${close}
export default ${open} name: 'a-two', description: 'x', execute: () => 2 ${close}\n`,
    })
    expect(await check({ paths: [dir] })).toMatchObject({ counts: { found: 1 }, diagnostics: [] })
    for (const via of ['disk', 'index']) {
      if (via === 'index') await compile({ paths: [dir] })
      const runtime = createRuntime({ paths: [dir], library: false })
      expect((await runtime.listTools()).map(({ name }) => name)).toEqual(['a-one', 'a-two'])
      expect(await runtime.invoke('a-two')).toBe(2)
    }
  })

  it('is not what another package exports', async () => {
    const { dir } = codeSkills({
      'a.skill.js': `import * as A from 'node:path'\nexport const a = A.defineTool?.({ name: 'a', execute: () => 1 })\n`,
    })
    expect((await check({ paths: [dir], cwd: dir })).diagnostics.map(shown)).toEqual([
      'a.skill.js:1:1 no-tool error',
    ])
  })
})

describe('definitions without anything to run', () => {
  it.each([
    ['no execute', "{ name: 'a', description: 'x' }"],
    ['execute that is a text', "{ name: 'a', description: 'x', execute: 'run' }"],
    ['execute that is an object', "{ name: 'a', description: 'x', execute: {} }"],
  ])('%s', async (_, definition) => {
    const { dir } = codeSkills({
      'a.skill.js': `import { defineTool } from 'agent-apps'\nexport default defineTool(${definition})\n`,
    })
    for (const work of [check, compile])
      expect((await work({ paths: [dir], cwd: dir })).diagnostics.map(shown)).toEqual([
        'a.skill.js:2:27 execute-missing error',
      ])
    await expect(createRuntime({ paths: [dir] }).invoke('a')).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
  })

  it('what may have one is not reported', async () => {
    const { dir } = codeSkills({
      'a.skill.js': `import { defineTool } from 'agent-apps'
const rest = { execute: () => 1 }
export default defineTool({ name: 'a', description: 'x', execute() { return 1 } })
export const b = defineTool({ name: 'b', description: 'x', execute: rest.execute })
export const c = defineTool({ name: 'c', description: 'x', 'execute': async () => 1 })\n`,
    })
    expect((await check({ paths: [dir] })).diagnostics).toEqual([])
  })

  it.each([
    [() => defineTool({ name: 'a' } as never), 'The tool "a" has no function `execute`.'],
    [() => defineTool({ name: 'a', execute: 1 } as never), 'The tool "a" has no function `execute`.'],
    [() => defineTool({ execute: () => 1 } as never), 'A tool is defined without a name.'],
    [() => defineTool(undefined as never), 'A tool is defined without a name.'],
  ])('%o throws at once', (make, message) => {
    expect(make).toThrow(expect.objectContaining({ code: 'DEFINITION_INVALID', message }))
  })

  it('one that is made later throws when it is needed', async () => {
    const tool = defineTool('a', (async () => ({ description: 'x' })) as never)
    const error = { code: 'DEFINITION_INVALID', tool: 'a' }
    await expect(tool.fn(undefined)).rejects.toMatchObject(error)
    await expect(tool.frontmatter()).rejects.toMatchObject(error)
  })
})

describe('default exports that cannot be called', () => {
  it.each([
    ['{}', 'an object'],
    ['42', 'a single value'],
    ['[() => 1]', 'an array'],
    ['`text`', 'a string'],
  ])('%s', async (value, what) => {
    const { dir } = codeSkills({
      'a.skill.js': `export const frontmatter = { name: 'a', description: 'x' }\nexport default ${value}\n`,
    })
    const { diagnostics } = await check({ paths: [dir], cwd: dir })
    expect(diagnostics.map(shown)).toEqual(['a.skill.js:2:16 no-tool error'])
    expect(diagnostics[0]?.reason).toBe(`The file exports no tool: its default export is ${what}`)
  })

  it('without frontmatter they are nothing to us', async () => {
    const { dir } = codeSkills({
      'a.skill.js': `import { defineTool } from 'agent-apps'
export const a = defineTool({ name: 'a', description: 'x', execute: () => 1 })\nexport default { a }\n`,
    })
    expect(await check({ paths: [dir] })).toMatchObject({ counts: { found: 1 }, diagnostics: [] })
  })
})

describe('keys that could reach a prototype', () => {
  it.each(oneIn(3, ['__proto__', 'constructor', 'prototype']))(
    '%s is refused wherever it is written',
    async key => {
      const { dir } = codeSkills({
        'a.skill.js': `export const frontmatter = { name: 'a', description: 'x', '${key}': { x: 1 } }\nexport default () => 1\n`,
        'b.skill.js': `import { defineTool } from 'agent-apps'
export default defineTool({ name: 'b', description: 'x', execute: () => 1, metadata: { deep: [{ ${key}: 1 }] } })\n`,
        'c.skill.js': `export const frontmatter = { name: 'c', description: String('x'), metadata: { ['${key}']: 1 } }\nexport default () => 1\n`,
      })
      const told = (await compile({ paths: [dir], cwd: dir })).diagnostics.map(shown)
      expect(told).toEqual([
        'a.skill.js:1:59 forbidden-key error',
        'b.skill.js:2:97 forbidden-key error',
        expect.stringMatching(/^c\.skill\.js:1:\d+ forbidden-key error$/),
      ])
      expect((await check({ paths: [dir], cwd: dir })).diagnostics.map(shown).slice(0, 2)).toEqual(
        told.slice(0, 2),
      )
      const runtime = createRuntime({ paths: [dir], library: false })
      for (const name of ['a', 'b', 'c'])
        await expect(runtime.invoke(name)).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
    },
  )
})
