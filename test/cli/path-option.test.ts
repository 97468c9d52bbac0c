import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { makeTree, skill } from '../support/tree.js'

const CODE = `export const frontmatter = { name: 'count', description: 'Counts.' }\nexport default () => 3\n`

function project(): string {
  return makeTree({
    'agent-apps.config.json': '{ "paths": ["./skills"] }',
    'skills/here/SKILL.md': skill('here'),
    'theirs/there/SKILL.md': skill('there', 'See :skill[count].\n'),
    'more/count.skill.js': CODE,
  })
}

describe('--path looks in the directories named instead of those configured', () => {
  it.each([
    [['list', '--json'], '"name": "there"'],
    [['catalog'], '<name>there</name>'],
    [['describe', 'there'], 'theirs/there/SKILL.md'],
    [['explain', 'there'], 'there'],
    [['run', 'count'], '3'],
    [['render', 'there'], 'See'],
    [['graph', 'there'], 'count'],
    [['doctor'], 'theirs: 1 skill file'],
  ])('%j', async (args, shown) => {
    const cwd = project()
    await compile({ cwd, paths: ['theirs', 'more'] })
    const paths = ['--path', 'theirs', '--path=more']
    const { status, stdout, stderr } = await agentApps(cwd, [...args, ...paths])
    expect([status, stderr.replace(/^.*described, about .*\n$/, '')]).toEqual([0, ''])
    expect(stdout).toContain(shown)
    expect(stdout).not.toContain('skills/here')
  })

  it('reports one that does not exist, and an empty one', async () => {
    const cwd = project()
    expect((await agentApps(cwd, ['list', '--path', 'nowhere'])).stderr).toContain(
      'The directory does not exist',
    )
    expect((await agentApps(cwd, ['doctor', '--path', 'nowhere'])).stdout).toContain('nowhere does not exist')
    expect((await agentApps(cwd, ['list', '--path', ''])).status).toBe(2)
  })
})

it('doctor reports a project file that is out of date', async () => {
  const cwd = project()
  await agentApps(cwd, ['compile', 'skills'])
  const { status, stdout } = await agentApps(cwd, ['doctor'])
  expect(status).toBe(1)
  expect(stdout).toMatch(/✓ index .*up to date/)
  expect(stdout).toMatch(/✗ project file .*\.agent-apps\/project\.json/)
  await agentApps(cwd, ['compile'])
  expect((await agentApps(cwd, ['doctor'])).status).toBe(0)
})
