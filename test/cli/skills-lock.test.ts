import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { folderHash } from '../../cli/skills-lock.js'
import { agentApps } from '../support/commands.js'
import { isLong } from '../support/long.js'
import { makeTree, skill } from '../support/tree.js'

const REVIEW = {
  'SKILL.md': '---\nname: review\ndescription: Reviews a change.\n---\nLook.\n',
  'refs/list.md': 'Names.\n',
  'refs/über.txt': 'u\n',
  'refs/node_modules/x/a.js': 'not counted\n',
  'Zed/a.txt': 'b\n',
}

/** What version 1.7.4 of `skills` recorded for these files, with a link beside them. */
const HASH = 'c23cebe1ef5f19c021b99f8ddad6cb6207e044b27bad25607c4038b185f9591d'

/** A project into which a skill was installed, beside one of its own. */
async function project(lock: unknown): Promise<string> {
  const installed = Object.entries(REVIEW).map(([path, text]) => [`.claude/skills/review/${path}`, text])
  const cwd = makeTree({
    ...Object.fromEntries(installed),
    'skills/own/SKILL.md': skill('own'),
    'skills-lock.json': typeof lock === 'string' ? lock : JSON.stringify(lock),
  })
  await compile({ cwd })
  return cwd
}

const LOCKED = {
  version: 1,
  skills: {
    review: {
      source: 'acme/skills',
      sourceType: 'github',
      ref: 'main',
      skillPath: 'skills/review/SKILL.md',
      computedHash: HASH,
    },
    gone: { source: 'acme/gone', sourceType: 'github', computedHash: HASH },
    odd: 3,
  },
}

it('hashes a folder as `skills` does', () => {
  const folder = makeTree(REVIEW)
  symlinkSync('SKILL.md', join(folder, 'link.md'))
  expect(folderHash(folder)).toBe(HASH)
})

describe('skills-lock.json', () => {
  it('tells list and describe where a skill was installed from', async () => {
    const cwd = await project(LOCKED)
    const listed = JSON.parse((await agentApps(cwd, ['list', '--json'])).stdout)
    const from = {
      source: 'acme/skills',
      sourceType: 'github',
      ref: 'main',
      skillPath: 'skills/review/SKILL.md',
    }
    expect(
      listed.map((tool: { name: string; installedFrom: unknown }) => [tool.name, tool.installedFrom]),
    ).toEqual([
      ['own', null],
      ['review', from],
    ])
    expect((await agentApps(cwd, ['list'])).stdout).toMatch(/^review .* \(from acme\/skills\)$/m)
    const described = await agentApps(cwd, ['describe', 'review'])
    expect(described.stdout).toMatch(/^ {2}installed +from acme\/skills@main skills\/review\/SKILL\.md$/m)
    const described2 = JSON.parse((await agentApps(cwd, ['describe', 'review', '--json'])).stdout)
    expect(described2.installedFrom).toEqual(from)
    expect((await agentApps(cwd, ['describe', 'own'])).stdout).not.toContain('installed')
  })

  it('tells doctor that a skill was changed, which is not a problem', { tags: 'long' }, async () => {
    const cwd = await project(LOCKED)
    const sound = await agentApps(cwd, ['doctor'])
    expect([sound.status, sound.stdout.includes('skills-lock')]).toEqual([0, false])
    writeFileSync(join(cwd, '.claude/skills/review/refs/list.md'), 'Other names.\n')
    await compile({ cwd })
    const { status, stdout } = await agentApps(cwd, ['doctor'])
    expect(status).toBe(0)
    expect(stdout).toContain(
      '· installed      review is not what skills-lock.json says was installed from acme/skills',
    )
  })

  it.each(['{', '[]', '{ "skills": [] }', 'null'])(
    'that says %s is reported, and nothing is lost',
    async text => {
      const cwd = await project(text)
      const { status, stdout, stderr } = await agentApps(cwd, ['list'])
      expect([status, stdout.match(/^\w+/gm)]).toEqual([0, ['own', 'review']])
      expect(stderr).toContain('skills-lock.json is not used: ')
      if (text !== '{' && !isLong) return
      expect((await agentApps(cwd, ['describe', 'own'])).stderr).toContain('skills-lock.json is not used: ')
      expect((await agentApps(cwd, ['doctor'])).stdout).toContain('skills-lock.json cannot be used: ')
    },
  )

  it('that is a link to a device is not read', async () => {
    const cwd = makeTree({ 'skills/own/SKILL.md': skill('own'), 'skills-lock.json': { link: '/dev/null' } })
    const { status, stderr } = await agentApps(cwd, ['list'])
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining('skills-lock.json is not used: it is not a regular file'),
    ])
  })

  it('without hash or place is an origin all the same', async () => {
    const cwd = await project({ version: 1, skills: { Review: { source: 'https://example.com' } } })
    expect((await agentApps(cwd, ['describe', 'review'])).stdout).toContain('from https://example.com\n')
    expect((await agentApps(cwd, ['doctor'])).status).toBe(0)
  })
})
