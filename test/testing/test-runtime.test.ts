import { existsSync } from 'node:fs'
import { defineTool, type Runtime } from 'agent-apps'
import { type TestRuntimeOptions, testRuntime } from 'agent-apps/testing'
import { afterEach, expect, it } from 'vitest'
import { skill } from '../support/tree.js'

const open: Runtime[] = []
afterEach(async () => void (await Promise.all(open.splice(0).map(one => one.close()))))

async function made(options: TestRuntimeOptions): Promise<Runtime> {
  const runtime = await testRuntime(options)
  open.push(runtime)
  return runtime
}

it('testRuntime holds skills of every kind, and those of the library', async () => {
  const runtime = await made({
    skills: {
      review: skill(
        'review',
        'Check :value[args.what].\n',
        'metadata: { params: { properties: { what: {} } } }\n',
      ),
      plain: 'No frontmatter.\n',
      'folder/SKILL.md': skill('folder', 'With :include[more.md].\n'),
      'folder/more.md': 'more',
      hurry: skill('hurry', 'x\n', 'metadata: { delegate: add }\n'),
      add: (_ctx: unknown, args: { a?: number }) => (args.a ?? 0) + 1,
      defined: defineTool({ name: 'defined', description: 'Is defined.', execute: () => 'defined' }),
      definition: { description: 'Is a definition.', execute: () => 'definition' },
    },
  })
  expect(await runtime.invoke('plain')).toBe('No frontmatter.\n')
  expect(await runtime.invoke('add', { a: 1 })).toBe(2)
  expect(await runtime.invoke('hurry')).toBe(1)
  expect(await runtime.invoke('defined')).toBe('defined')
  expect(await runtime.invoke('definition')).toBe('definition')
  expect(await runtime.invoke('review', { what: 'it' })).toBe('Check it.\n')
  expect(await runtime.invoke('folder')).toBe('With more.\n')
  const listed = (await runtime.listTools()).map(({ name }) => name)
  expect(listed.slice(0, 7)).toEqual([
    ...['add', 'defined', 'definition'],
    ...['folder', 'hurry', 'plain', 'review'],
  ])
  expect(listed).toContain('skill-list')
  const [entry = ''] = (await runtime.tools())
    .map(one => one.entry)
    .filter(one => one.includes('agent-apps-testing-'))
  expect(existsSync(entry)).toBe(true)
  await runtime.close()
  expect(existsSync(entry)).toBe(false)
})

it('testRuntime runs middleware, hooks and policies as any runtime does', async () => {
  const log: string[] = []
  const runtime = await made({
    library: false,
    policy: { permissions: [] },
    skills: {
      loud: defineTool({
        name: 'loud',
        role: 'middleware',
        execute: () => void log.push('loud'),
      }),
      tool: {
        description: 'x',
        metadata: { loud: {} },
        permissions: { required: ['write'] },
        init: () => log.push('init'),
        execute: () => 'ran',
      },
    },
  })
  expect(await runtime.invoke('tool')).toBe('ran')
  expect(log).toEqual(['loud', 'init'])
  await expect(runtime.forAgent().invoke('tool')).rejects.toMatchObject({ code: 'PERMISSION_MISSING' })
})

it('testRuntime refuses a text that cannot be read, another name, and unknown options', async () => {
  await expect(made({ skills: { a: '---\nname: [\n---\n' } })).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
  await expect(made({ skills: { a: skill('b') } })).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  const other = defineTool({ name: 'b', execute: () => 1 })
  await expect(made({ skills: { a: other } })).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  await expect(made({ skils: {} } as never)).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
})
