import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentOptions, type ApprovalAnswer, createRuntime, registerTool } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { oneIn, some } from '../support/long.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

/** A project's tool that must not run, a hidden one, and a base, and what of somebody else's leads there. */
const TREE: Tree = {
  'package.json': '{ "type": "module" }\n',
  'own/wipe.skill.js': `
    import { writeFileSync } from 'node:fs'
    export const frontmatter = { name: 'wipe', description: 'Wipes.',
      metadata: { params: { type: 'object', additionalProperties: true } } }
    export default () => { writeFileSync(new URL('../wiped', import.meta.url), ''); return 'wiped' }`,
  'own/helper.skill.js': `
    export const frontmatter = { name: 'helper', description: 'Helps.', metadata: { visibility: 'hidden' } }
    export default () => 'helped'`,
  'own/gated.skill.js': `
    export const frontmatter = { name: 'gated', description: 'Asks.', metadata: { gated: true,
      params: { type: 'object', additionalProperties: true } } }
    export default () => 'ran'`,
  'own/base/SKILL.md': skill('base', 'Text.\n', 'metadata: { delegate: ./body.js }\n'),
  'own/base/body.js': "export default () => 'the base ran'\n",
  'own/uses/SKILL.md': skill('uses', 'Text.\n', 'metadata: { delegate: wipe }\n'),
  'theirs/direct/SKILL.md': skill('direct', 'Text.\n', 'metadata: { delegate: wipe }\n'),
  'theirs/by-path/SKILL.md': skill('by-path', 'Text.\n', 'metadata: { delegate: ../../own/wipe.skill.js }\n'),
  'theirs/through/SKILL.md': skill('through', 'Text.\n', 'metadata: { delegate: direct }\n'),
  'theirs/inherits/SKILL.md': skill('inherits', 'Text.\n', 'metadata: { $inherit: direct }\n'),
  'theirs/inherits-base/SKILL.md': skill('inherits-base', 'Text.\n', 'metadata: { $inherit: base }\n'),
  'theirs/around/SKILL.md': skill('around', 'Text.\n', 'metadata: { their-middleware: {} }\n'),
  'theirs/their-middleware.skill.md': skill(
    'their-middleware',
    'Text.\n',
    'metadata: { role: middleware, delegate: wipe }\n',
  ),
  'theirs/says/SKILL.md': skill('says', ':their-directive[x]\n'),
  'theirs/says-static/SKILL.md': skill('says-static', ':static-directive[x]\n'),
  'theirs/their-directive.skill.md': skill(
    'their-directive',
    'Text.\n',
    'metadata: { tags: [meta-directive-inline], delegate: wipe }\n',
  ),
  'theirs/static-directive.skill.md': skill(
    'static-directive',
    'Text.\n',
    'metadata: { static: true, tags: [meta-directive-inline], delegate: wipe }\n',
  ),
  'theirs/to-helper/SKILL.md': skill('to-helper', 'Text.\n', 'metadata: { delegate: helper }\n'),
  'theirs/to-gated/SKILL.md': skill('to-gated', 'Text.\n', 'metadata: { delegate: gated }\n'),
  'theirs/to-registered/SKILL.md': skill('to-registered', 'Text.\n', 'metadata: { delegate: registered }\n'),
}

const TO_WIPE = ['direct', 'by-path', 'through', 'inherits', 'around', 'says', 'says-static']

describe.each(some(['from disk', 'compiled']))(
  'what runs in the place of a tool of another entry, %s',
  way => {
    let cwd: string
    beforeAll(async () => {
      cwd = makeTree(TREE)
      if (way === 'from disk') return
      for (const path of ['theirs', 'own']) await compile({ cwd, paths: [path] })
    })

    const opened = (limits: AgentOptions, answer: ApprovalAnswer = 'deny') => {
      rmSync(join(cwd, 'wiped'), { force: true })
      const asked: unknown[] = []
      const runtime = createRuntime({
        cwd,
        paths: [{ dir: 'theirs', external: true }, 'own'],
        interact: request => {
          if (request.kind === 'approval') asked.push([request.tool, request.args])
          return answer
        },
      })
      registerTool(runtime.globals, { name: 'registered', description: 'Registered.', fn: () => 'ran' })
      const wasWiped = () => existsSync(join(cwd, 'wiped'))
      return { runtime, agent: runtime.forAgent(limits), asked, wasWiped }
    }

    it.each(oneIn(2, TO_WIPE))('%s does not run what the agent is denied', async name => {
      for (const limits of [{ deny: 'wipe' }, { rules: 'wipe($policy=deny)' }, { allow: name }]) {
        const { agent, wasWiped } = opened(limits)
        await expect(agent.invoke(name, {})).rejects.toMatchObject({
          code: expect.stringMatching(/^(?:TOOL_DENIED|ARGS_INVALID)$/),
        })
        expect(wasWiped()).toBe(false)
      }
    })

    it.each(['direct', 'by-path', 'through', 'inherits', 'around'])(
      '%s runs what it may call',
      async name => {
        const { agent, wasWiped } = opened({})
        await agent.invoke(name, {})
        expect(wasWiped()).toBe(true)
      },
    )

    it('is not a call where no agent is above, nor inside of an entry', async () => {
      const { runtime, agent, wasWiped } = opened({ deny: 'wipe' })
      expect(await runtime.invoke('direct', {})).toBe('wiped')
      expect(await agent.invoke('uses', {})).toBe('wiped')
      expect(wasWiped()).toBe(true)
    })

    it('is asked about as its target is, with the arguments', async () => {
      const refused = opened({})
      await expect(refused.agent.invoke('to-gated', { file: 'a' })).rejects.toMatchObject({
        code: 'APPROVAL_DENIED',
      })
      expect(refused.asked).toEqual([['gated', { file: 'a' }]])
      const allowed = opened({}, 'allow-once')
      expect(await allowed.agent.invoke('to-gated', { file: 'a' })).toBe('ran')
    })

    it('may be hidden, registered, or a base', async () => {
      const { agent } = opened({})
      expect(await agent.invoke('to-helper')).toBe('helped')
      expect(await agent.invoke('to-registered')).toBe('ran')
      expect(await agent.invoke('inherits-base', {})).toBe('the base ran')
      for (const [name, denied] of [
        ['to-helper', 'helper'],
        ['to-registered', 'registered'],
        ['inherits-base', 'base'],
      ] as const) {
        const { agent } = opened({ deny: denied })
        await expect(agent.invoke(name)).rejects.toMatchObject({ code: 'TOOL_DENIED' })
      }
    })
  },
)
