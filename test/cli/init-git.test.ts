import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { some } from '../support/long.js'
import { makeTree } from '../support/tree.js'

const QUESTION = 'Add .agent-apps.json and .agent-apps/ to .gitignore? [Y/n] '

describe('init in a git repository', () => {
  let cwd = ''
  const git = (...args: string[]): string => spawnSync('git', args, { cwd, encoding: 'utf8' }).stdout
  const ignoreFile = (): string => readFileSync(join(cwd, '.gitignore'), 'utf8')

  beforeEach(() => {
    cwd = makeTree({ 'package.json': '{}\n' })
    git('init', '--quiet')
  })

  it.each(some(['y', 'Yes', '']))('adds lines to .gitignore where the answer is %j', async answer => {
    writeFileSync(join(cwd, '.gitignore'), 'node_modules')
    const { stdout, stderr, status } = await agentApps(cwd, ['init'], { answer })
    expect(stderr.startsWith(QUESTION)).toBe(true)
    expect(stdout).toContain('made .gitignore (.agent-apps.json, .agent-apps/)\n')
    expect(status).toBe(0)
    expect(ignoreFile()).toBe('node_modules\n.agent-apps.json\n.agent-apps/\n')
    await agentApps(cwd, ['compile'])
    expect(git('status', '--short', '--untracked-files=all')).not.toContain('.agent-apps.json')
    expect((await agentApps(cwd, ['init'], { answer })).stderr).not.toContain('.gitignore')
  })

  it.each([null, 'n', 'what?'])('prints them, and changes nothing, where it is %j', async answer => {
    const { stderr } = await agentApps(cwd, ['init'], { answer })
    expect(stderr).toContain('Add to .gitignore:\n  .agent-apps.json\n  .agent-apps/\n')
    expect(existsSync(join(cwd, '.gitignore'))).toBe(false)
  })

  it('asks nobody under --json, which has the lines', async () => {
    const { stdout, stderr } = await agentApps(cwd, ['init', '--json'], { answer: 'y' })
    expect(JSON.parse(stdout)).toMatchObject({ gitignore: ['.agent-apps.json', '.agent-apps/'] })
    expect(stderr).toBe('')
    expect(existsSync(join(cwd, '.gitignore'))).toBe(false)
  })

  it('adds only what is missing, in the way the file ends its lines', async () => {
    writeFileSync(join(cwd, '.gitignore'), '*.json\r\n')
    expect((await agentApps(cwd, ['init'], { answer: 'y' })).stderr).toContain(
      'Add .agent-apps/ to .gitignore?',
    )
    expect(ignoreFile()).toBe('*.json\r\n.agent-apps/\r\n')
  })

  it('says nothing of it outside of a repository', async () => {
    const outside = makeTree({ 'package.json': '{}\n' })
    const { stdout, stderr } = await agentApps(outside, ['init'], { answer: 'y' })
    expect(stdout + stderr).not.toContain('.gitignore')
    expect(existsSync(join(outside, '.gitignore'))).toBe(false)
  })
})

describe('init writes no examples', () => {
  const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\n`
  it.each([
    ['in a conventional directory', { '.claude/skills/one/SKILL.md': skill('one') }],
    ['elsewhere', { 'experts/deep/one/SKILL.md': skill('one') }],
    [
      'beside a manifest that cannot be read',
      { '.claude-plugin/marketplace.json': '{', 'plugins/acme/skills/one/SKILL.md': skill('one') },
    ],
  ])('where there are skills: %s', async (_, tree) => {
    const cwd = makeTree(tree)
    await agentApps(cwd, ['init'])
    expect(existsSync(join(cwd, 'skills'))).toBe(false)
    expect(existsSync(join(cwd, 'agent-apps.config.json'))).toBe(true)
  })
})
