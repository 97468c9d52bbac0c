import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'
import { clientOf, ERAS } from '../support/mcp-project.js'
import { ROOT } from '../support/processes.js'

it.each(ERAS)('examples/mcp serves what a client of %s needs', async era => {
  const client = clientOf(era, { capabilities: { elicitation: { form: {} } } })
  const asked: string[] = []
  let answer = 'allow-once'
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message)
    return { action: 'accept', content: { answer } }
  })
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [join(ROOT, 'examples/mcp/server.js')] }),
  )
  onTestFinished(() => client.close())
  const text = async (name: string, args: Record<string, unknown>, options = {}): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: args }, options)
    return (content[0] as { text: string }).text
  }

  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['publish', 'style', 'word-count'])
  expect(await text('style', {})).toBe('Short sentences. The words are in words.md.\n')
  const { contents } = await client.readResource({ uri: 'skill://style/words.md' })
  expect(contents).toMatchObject([{ text: 'say: not utilize, but use\n' }])
  expect(await text('word-count', { text: 'one two three' })).toBe('3')
  expect(await text('word-count', { text: 3 })).toContain('ARGS_INVALID')

  expect(await text('publish', { page: 'news' })).toBe('news is published')
  answer = 'deny'
  expect(await text('publish', { page: 'more' })).toContain('APPROVAL_DENIED')
  expect(asked).toEqual(
    ['news', 'more'].map(page => expect.stringContaining(`Publish ${page} for everybody`)),
  )
  answer = 'allow-once'
  const controller = new AbortController()
  const options = { signal: controller.signal, onprogress: () => controller.abort() }
  await expect(text('publish', { page: 'last' }, options)).rejects.toThrow()
})
