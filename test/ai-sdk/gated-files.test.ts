import { createRuntime } from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { describe, expect, it } from 'vitest'
import { makeTree } from '../support/tree.js'

const TREE = {
  'skills/guarded/SKILL.md':
    '---\nname: guarded\ndescription: How to deploy.\nmetadata:\n  gated: true\n---\nThe secret way.\n',
  'skills/guarded/more.md': 'More of it.\n',
}

describe('the files of a skill that a person has to allow', () => {
  it.each(['SKILL.md', 'more.md'])('are read only once a person did: %s', async path => {
    const cwd = makeTree(TREE)
    const asked: string[] = []
    let answer: 'deny' | 'allow-once' = 'deny'
    const runtime = createRuntime({
      cwd,
      paths: ['skills'],
      interact: request => {
        asked.push((request as { tool: string }).tool)
        return answer
      },
    })
    const { tools } = await skillTools(runtime)
    const read = async (): Promise<unknown[]> => {
      const options = { toolCallId: crypto.randomUUID(), messages: [] }
      const results: unknown[] = []
      const given = tools['read-skill-resource']?.execute?.({ name: 'guarded', path }, options)
      for await (const one of given as AsyncIterable<unknown>) results.push(one)
      return results
    }
    await expect(read()).rejects.toThrow('APPROVAL_DENIED')
    answer = 'allow-once'
    expect(await read()).toMatchObject([{ path }])
    expect(asked).toEqual(['guarded', 'guarded'])
  })
})
