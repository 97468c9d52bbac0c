import { defineTool } from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { testRuntime } from 'agent-apps/testing'
import * as sdk from 'ai'
import { expect, it } from 'vitest'
import { calling, scriptedModel } from '../support/ai-model.js'

/** Version 7 of the SDK has it. */
const { toolSearch } = sdk as unknown as { toolSearch?: (options: { search: unknown }) => sdk.Tool }

const SKILLS = {
  'pay-invoice': defineTool({
    name: 'pay-invoice',
    description: 'Pays an invoice of a supplier.',
    execute: () => 'paid',
  }),
  'book-room': defineTool({
    name: 'book-room',
    description: 'Books a meeting room.',
    execute: () => 'booked',
  }),
  'style-guide': '---\nname: style-guide\ndescription: How invoices are worded.\n---\nBe brief.\n',
}

it('finds the tools of the agent by words, and those of the host', async () => {
  const runtime = await testRuntime({ skills: SKILLS })
  const { findTools } = await skillTools(runtime, { policy: { deny: 'book-room' } })
  expect(await findTools({ query: 'the invoices of suppliers', tools: [] })).toEqual(['pay-invoice'])
  expect(await findTools({ query: 'a meeting room', tools: [] })).toEqual([])
  const tools = [
    { name: 'refund', description: 'Refunds what was paid.' },
    { name: 'weather' },
    { name: 'invoice-refund', description: 'Refunds an invoice.' },
  ]
  expect(await findTools({ query: 'refund invoice', tools })).toEqual([
    'pay-invoice',
    'invoice-refund',
    'refund',
  ])
  await runtime.close()
})

it('marks only tools that run something as deferred, and only where it is asked to', async () => {
  const runtime = await testRuntime({ skills: SKILLS })
  const { tools } = await skillTools(runtime, { deferLoading: true })
  const deferred = Object.entries(tools).filter(([, tool]) => 'deferLoading' in tool)
  expect(deferred.map(([name]) => name).sort()).toEqual(['book-room', 'pay-invoice'])
  expect(tools).toHaveProperty('load-skill')
  expect(Object.values((await skillTools(runtime)).tools).some(tool => 'deferLoading' in tool)).toBe(false)
  await expect(skillTools(runtime, { deferLoading: 1 } as never)).rejects.toMatchObject({
    code: 'OPTIONS_INVALID',
  })
  await runtime.close()
})

it.runIf(toolSearch)('lets a model find a tool and call it in the next step', async () => {
  const runtime = await testRuntime({ skills: SKILLS })
  const { tools, findTools, ...skills } = await skillTools(runtime, { deferLoading: true })
  const model = scriptedModel(
    calling('toolSearch', { query: 'an invoice has to be paid' }),
    calling('pay-invoice', {}),
    { text: 'Paid.' },
  )
  const { text, steps } = await sdk.generateText({
    ...skills,
    model,
    tools: { ...tools, toolSearch: toolSearch?.({ search: findTools }) as sdk.Tool },
    prompt: 'Pay it.',
    stopWhen: sdk.stepCountIs(4),
  })
  expect(text).toBe('Paid.')
  expect(steps[1]?.toolResults).toMatchObject([{ toolName: 'pay-invoice', output: 'paid' }])
  const seen = model.doGenerateCalls.map(({ tools = [] }) => tools.map(({ name }) => name))
  expect(seen[0]).not.toContain('pay-invoice')
  expect(seen[1]).toContain('pay-invoice')
  expect(seen[1]).not.toContain('book-room')
  await runtime.close()
})
