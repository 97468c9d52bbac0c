import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { compile, loadConfig } from 'agent-apps/compiler'
import { describe, expect, it, vi } from 'vitest'
import { agentApps } from '../support/commands.js'
import { makeTree, skill } from '../support/tree.js'
import { asking, code, codeTool, compiled, names, PROJECT, ran } from '../support/trust-project.js'

const AGENTS = [
  { id: 'my-agent', tools: { allow: ['build', 'save'], deny: ['save'] }, permissions: ['read'] },
]

/** A project whose configuration says this of agents. */
function configured(more: object): Promise<string> {
  return compiled({
    ...PROJECT,
    'agent-apps.config.json': JSON.stringify({ paths: ['./skills'], freshness: 'check', ...more }),
    'skills/save.skill.ts': codeTool('save', "{ permissions: { required: ['read'] } }"),
    'skills/secret/SKILL.md': skill(
      'secret',
      'It is ${env.TRUST_TEST}.\n',
      'metadata:\n  interpolate: true\n',
    ),
  })
}

describe('a project’s configuration', () => {
  it('narrows what agents may do, and before the project is trusted does no more', async () => {
    const policy = {
      deny: 'text',
      permissions: ['read'],
      rules: ['build($policy=allow)', 'secret'],
      approval: { mode: 'yolo' },
    }
    const project = await configured({ policy })
    const none = createRuntime({ project }).forAgent()
    expect(await code(none.invoke('text'))).toBe('TOOL_DENIED')
    expect(await code(none.invoke('secret'))).toBe('APPROVAL_UNAVAILABLE')
    const { agent, requests } = asking(project, ['deny', 'allow-session'])
    expect(await code(agent.invoke('save'))).toBe('TOOL_NOT_FOUND')
    expect(requests[0]?.configuration).toEqual({ policy })

    const trusting = asking(project, ['allow-session']).agent
    expect(await code(trusting.authorize('save'))).toMatchObject({
      decision: 'deny',
      code: 'PERMISSION_MISSING',
    })
    expect(await trusting.invoke('build')).toBe('build ran')
    expect(await trusting.invoke('save')).toBe('save ran')
    expect(await code(trusting.invoke('text'))).toBe('TOOL_DENIED')
  })

  it('never widens what the host says', async () => {
    const project = await configured({
      policy: { permissions: ['read', 'write'], approval: { mode: 'yolo' } },
    })
    const { agent } = asking(project, ['allow-session'], {
      policy: { permissions: [], approval: { mode: 'ask' } },
    })
    expect(await agent.invoke('build')).toBe('build ran')
    expect(await code(agent.invoke('save'))).toBe('PERMISSION_MISSING')
  })

  it('gives agents variables of the environment only once it is trusted, and its author’s code at once', async () => {
    vi.stubEnv('TRUST_TEST', 'a token')
    const project = await configured({ env: ['TRUST_TEST'] })
    const { agent, runtime } = asking(project, ['allow-session'])
    expect(await agent.invoke('secret')).toMatchObject({ content: 'It is .\n' })
    expect(await runtime.invoke('secret')).toBe('It is a token.\n')
    await agent.invoke('build')
    expect(await agent.invoke('secret')).toMatchObject({ content: 'It is a token.\n' })
    vi.unstubAllEnvs()
  })

  it('is part of what an answer is bound to', async () => {
    const project = await configured({})
    const first = asking(project, ['deny'])
    await code(first.agent.invoke('build'))
    writeFileSync(
      join(project, 'agent-apps.config.json'),
      JSON.stringify({ paths: ['./skills'], freshness: 'check', policy: { approval: { mode: 'yolo' } } }),
    )
    await compile({ cwd: project })
    const second = asking(project, ['deny'])
    await code(second.agent.invoke('build'))
    expect(second.requests[0]?.digest).not.toBe(first.requests[0]?.digest)
  })

  it('cannot say that it is trusted', async () => {
    const project = await configured({})
    for (const trust of [{ project: 'allow' }, true]) {
      writeFileSync(
        join(project, '.agent-apps/project.json'),
        JSON.stringify({ version: 1, paths: [{ dir: 'skills' }], policy: { trust } }),
      )
      expect(await code(createRuntime({ project }).forAgent().invoke('build'))).toBe('CONFIG_INVALID')
    }
  })
})

describe('named agents', () => {
  it('have the limits that the host gives them', async () => {
    const project = await configured({})
    const runtime = createRuntime({
      paths: [join(project, 'skills')],
      agents: AGENTS as { id: string }[],
    })
    const agent = runtime.forAgent('my-agent')
    expect(names(await agent.listTools())).toEqual(['build'])
    expect(await agent.invoke('build')).toBe('build ran')
    expect(await code(agent.invoke('save'))).toBe('TOOL_DENIED')
    expect(() => runtime.forAgent('another')).toThrow(expect.objectContaining({ code: 'AGENT_UNKNOWN' }))
    const wrong = createRuntime({ paths: [], agents: [{ id: 'a', tools: { deny: 'bash(' } }] })
    expect(await code(wrong.forAgent('a').listTools())).toBe('OPTIONS_INVALID')
  })

  it('of a project’s configuration are known once it is trusted', async () => {
    const project = await configured({ agents: AGENTS })
    const { runtime, requests } = asking(project, ['allow-session'], { policy: { permissions: ['read'] } })
    const agent = runtime.forAgent('my-agent')
    expect(await code(agent.listTools())).toBe('AGENT_UNKNOWN')
    expect(requests).toEqual([])
    expect(await agent.invoke('build')).toBe('build ran')
    expect(requests.length).toBe(1)
    expect(names(await agent.listTools())).toEqual(['build'])
    expect(await code(runtime.forAgent('another').listTools())).toBe('AGENT_UNKNOWN')
    const denied = asking(project, ['deny']).runtime.forAgent('my-agent')
    expect(await code(denied.invoke('text'))).toBe('AGENT_UNKNOWN')
  })

  it.each(['yaml', 'yml'])('may be written in YAML, as .%s', async ending => {
    const project = makeTree({
      'skills/web_search.skill.md': skill('web-search'),
      [`agent-apps.config.${ending}`]: `paths: [./skills]
agents:
  - id: my-agent
    tools:
      allow:
        - web_search
        - file_read
        - shell_exec
      deny:
        - file_delete # Never allow this, even if listed in allow
`,
    })
    const { config } = await loadConfig({ cwd: project, trusted: true })
    expect(config.agents).toEqual([
      {
        id: 'my-agent',
        tools: { allow: ['web_search', 'file_read', 'shell_exec'], deny: ['file_delete'] },
      },
    ])
    await compile({ cwd: project })
    const tools = ['web_search', 'file_delete', 'other']
    const runtime = createRuntime({ project, policy: { trust: { project: 'allow' } } })
    for (const name of tools) runtime.register({ name, description: 'A tool.', execute: () => `${name} ran` })
    const agent = runtime.forAgent('my-agent')
    expect((await agent.listTools()).map(({ name }) => name)).toEqual(['web_search'])
    expect(await agent.invoke('web_search')).toBe('web_search ran')
    expect(await code(agent.invoke('file_delete'))).toBe('TOOL_DENIED')
    writeFileSync(join(project, `agent-apps.config.${ending}`), 'paths: [./skills\n')
    const error = await loadConfig({ cwd: project }).catch(error => error)
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', position: { line: 1, column: 16 } })
  })
})

describe('a project with agents and no skills', () => {
  it('is compiled, checked and listed, and its agents call what a program registers', async () => {
    for (const paths of [undefined, []]) {
      const config = { ...(paths && { paths }), agents: [{ id: 'reader', tools: { allow: 'look' } }] }
      const project = makeTree({ 'agent-apps.config.json': JSON.stringify(config) })
      for (const command of ['compile', 'check', 'list', 'doctor', 'verify', 'catalog'])
        expect([command, (await agentApps(project, [command])).status]).toEqual([command, 0])
      expect((await agentApps(project, ['compile', '--check'])).status).toBe(0)
      const runtime = createRuntime({ project, policy: { trust: { project: 'allow' } } })
      for (const name of ['look', 'save'])
        runtime.register({ name, description: 'A tool.', execute: () => `${name} ran` })
      const agent = runtime.forAgent('reader')
      expect((await agent.listTools()).map(({ name }) => name)).toEqual(['look'])
      expect(await agent.invoke('look')).toBe('look ran')
      expect(await code(agent.invoke('save'))).toBe('TOOL_DENIED')
      expect((await agentApps(project, ['clean'])).status).toBe(0)
      expect(existsSync(join(project, '.agent-apps'))).toBe(false)
    }
    const neither = makeTree({ 'agent-apps.config.json': '{ "agents": [] }' })
    for (const command of ['compile', 'check', 'doctor'])
      expect([command, (await agentApps(neither, [command])).status]).toEqual([command, 1])
  })
})

describe('loadConfig', () => {
  it('gives what a project may say before it is trusted, and all of it to who vouches for it', async () => {
    const policy = { deny: 'a', permissions: ['read'], rules: 'b c($policy=allow)' }
    const project = await configured({ policy, agents: AGENTS, env: ['TRUST_TEST'] })
    const given = await loadConfig({ cwd: project })
    expect(given.paths).toEqual([{ dir: join(project, 'skills'), trust: 'ask' }])
    expect(given.config).toEqual({
      paths: ['./skills'],
      freshness: 'check',
      policy: { deny: 'a', rules: ['b'] },
    })
    const runtime = createRuntime({ paths: given.paths, project: given.project })
    expect(await code(runtime.forAgent().invoke('build'))).toBe('TOOL_NOT_FOUND')
    expect(await code(runtime.forAgent('my-agent').listTools())).toBe('AGENT_UNKNOWN')
    const trusted = await loadConfig({ cwd: project, trusted: true })
    expect(trusted.config).toMatchObject({ policy, agents: AGENTS, env: ['TRUST_TEST'] })
    expect(trusted.paths).toEqual([join(project, 'skills')])
  })

  it('runs a configuration in code only for who vouches for it', async () => {
    const project = makeTree({
      'package.json': '{}\n',
      'agent-apps.config.ts': `${codeTool('config').split('\n')[0]}\nexport default { paths: ['skills'].slice(), env: ['A'] }\n`,
      'skills/text/SKILL.md': skill('text'),
      'elsewhere/text/SKILL.md': skill('text'),
    })
    ran()
    expect((await loadConfig({ cwd: project })).paths).toEqual([
      { dir: project, discover: true, trust: 'ask' },
    ])
    expect(ran()).toEqual([])
    expect((await loadConfig({ cwd: project, trusted: true })).config.env).toEqual(['A'])
    expect(ran()).toEqual(['config'])
    await compile({ cwd: project })
    ran()
    expect((await loadConfig({ cwd: project })).paths).toEqual([
      { dir: join(project, 'skills'), trust: 'ask' },
    ])
    expect(ran()).toEqual([])
  })
})
