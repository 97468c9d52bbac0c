import { type ApprovalRequest, createRuntime, type HostRequest } from 'agent-apps'
import { describe, expect, it } from 'vitest'

const OLD = {
  $schema: 'http://json-schema.org/draft-04/schema#',
  type: 'object',
  properties: { n: { minimum: 0, exclusiveMinimum: true } },
}

describe('register', () => {
  it('lets the owner of a schema check what is not known here, and no one else', async () => {
    const runtime = createRuntime({ paths: [] })
    const tool = { name: 'old', params: OLD, returns: OLD, execute: (args: unknown) => args }
    const undo = runtime.register(tool)
    await expect(runtime.invoke('old', { n: 0 })).rejects.toMatchObject({ code: 'SCHEMA_INVALID' })
    undo()
    runtime.register(tool, { validate: 'owner' })
    expect(await runtime.invoke('old', { n: 0 })).toEqual({ n: 0 })
    const params = { type: 'object', properties: { n: { type: 'number', default: 1 } } } as const
    runtime.register({ name: 'new', params, execute: (args: unknown) => args }, { validate: 'owner' })
    expect(await runtime.invoke('new')).toEqual({ n: 1 })
    await expect(runtime.invoke('new', { n: 'x' })).rejects.toMatchObject({ code: 'ARGS_INVALID' })
    expect(() => runtime.register(tool, { validate: 'nobody' as never })).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID' }),
    )
  })

  it('makes tools of layer `remote`, whose approvals are bound to what the server says of them', async () => {
    const asked: ApprovalRequest[] = []
    const interact = (request: HostRequest) => {
      asked.push(request as ApprovalRequest)
      return 'allow-session' as const
    }
    const runtime = createRuntime({ paths: [], interact })
    const register = (digest: string) =>
      runtime.register(
        { name: 'far', description: 'Far away.', gated: false, execute: () => 'there' },
        { src: 'mcp://far/far', remote: { digest } },
      )
    register('a')
    expect(await runtime.findTool('mcp://far/far')).toMatchObject({
      origin: { layer: 'remote', via: 'remote' },
    })
    expect(runtime.stats().via).toMatchObject({ remote: 1, programmatic: 0 })
    expect(await runtime.tools()).toContainEqual(expect.objectContaining({ name: 'far', executor: 'remote' }))
    const agent = runtime.forAgent({ sessionId: 's' })
    await agent.invoke('mcp://far/far')
    register('a')
    await agent.invoke('far')
    expect(asked).toHaveLength(1)
    register('b')
    await agent.invoke('far')
    expect(asked.map(({ layer }) => layer)).toEqual(['remote', 'remote'])
    // A rule that names it allows it; one for all tools does not.
    await runtime.forAgent({ sessionId: 'other', rules: '*($policy=allow)' }).invoke('far')
    expect(asked).toHaveLength(3)
    const trusting = createRuntime({ paths: [], policy: { rules: 'mcp__far__far($policy=allow)' } })
    trusting.register(
      { name: 'mcp__far__far', description: 'Far away.', execute: () => 'there' },
      { src: 'mcp://far/far', remote: { digest: 'a' } },
    )
    expect(await trusting.forAgent().invoke('mcp://far/far')).toBe('there')
  })
})
