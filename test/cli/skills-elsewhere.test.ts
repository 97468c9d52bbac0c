import { describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { oneIn } from '../support/long.js'
import { makeTree, type Tree } from '../support/tree.js'

const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\n`

const GUESSED: Tree = {
  'experts/review/SKILL.md': skill('review'),
  'experts/test/SKILL.md': skill('test'),
  'packs/one/deep/plan/SKILL.md': skill('plan'),
  'a/b/c/d/e/six/SKILL.md': skill('six'),
}
const PATHS = '{"paths": ["./experts","./packs/one/deep"]}'

async function listed(cwd: string): Promise<string[]> {
  const { stdout } = await agentApps(cwd, ['list', '--json'])
  return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name).sort()
}

describe('a repository in which no manifest and no convention leads to skills', () => {
  it('is read five folders deep by check, with one warning', async () => {
    const { stdout, status } = await agentApps(makeTree(GUESSED), ['check', '--json'])
    const { counts, diagnostics } = JSON.parse(stdout)
    expect(counts).toEqual({ files: 3, found: 3, shadowed: 0, skipped: 0 })
    expect(diagnostics).toMatchObject([
      { rule: 'paths-guessed', severity: 'warning', note: expect.stringContaining(PATHS) },
    ])
    expect(status).toBe(0)
  })

  it('is read by list, with one warning', async () => {
    const cwd = makeTree(GUESSED)
    expect(await listed(cwd)).toEqual(['plan', 'review', 'test'])
    const { stderr, status } = await agentApps(cwd, ['list'])
    expect(stderr.match(/ warning .*/g)).toEqual([expect.stringContaining(PATHS)])
    expect(status).toBe(0)
  })

  it('is read by doctor, which says the same', async () => {
    const { stdout, status } = await agentApps(makeTree(GUESSED), ['doctor', '--json'])
    expect(
      JSON.parse(stdout).filter(({ subject }: { subject: string }) => /path|resol|proj/.test(subject)),
    ).toEqual([
      {
        subject: 'paths',
        state: 'problem',
        found: expect.stringMatching(/the 3 skills .*\(paths-guessed\)$/),
        advice: expect.stringContaining(PATHS),
      },
      { subject: 'resolution', state: 'ok', found: '3 tools, 0 from an index, 3 from disk' },
    ])
    expect(status).toBe(1)
  })

  it('fails in compile, which names the places with counts', async () => {
    const { stderr, status } = await agentApps(makeTree(GUESSED), ['compile'])
    expect(stderr).toContain('experts (2), packs/one/deep (1). (NO_SKILL_PATHS)')
    expect(stderr).toContain('{"paths":["./experts","./packs/one/deep"]}')
    expect(status).toBe(1)
  })

  it('is what init writes a configuration for, with which all commands agree', async () => {
    const cwd = makeTree(GUESSED)
    await agentApps(cwd, ['init'])
    expect((await agentApps(cwd, ['compile'])).status).toBe(0)
    expect(await listed(cwd)).toEqual(['plan', 'review', 'test'])
    expect((await agentApps(cwd, ['doctor'])).status).toBe(0)
  })
})

describe('a repository in which they lead to some skills', () => {
  const tree: Tree = { ...GUESSED, 'skills/own/SKILL.md': skill('own') }
  const MORE = '{"paths": ["./skills","./experts","./packs/one/deep"]}'

  it.each(['check', 'compile', 'list', 'doctor'])(
    'is said by %s to have others, once, and not read',
    async command => {
      const { stdout, stderr } = await agentApps(makeTree(tree), [command])
      const said = stdout + stderr
      expect(said.match(/3 skills lie where no plugin manifest and no convention leads/g)).toHaveLength(1)
      expect(said).toContain(MORE)
    },
  )

  it('is listed and compiled without them', async () => {
    const cwd = makeTree(tree)
    expect(await listed(cwd)).toEqual(['own'])
    expect((await agentApps(cwd, ['compile'])).stdout).toContain('compiled 1 skill ')
    expect(await listed(cwd)).toEqual(['own'])
  })

  it('has no such warning where the project turned the rule off', async () => {
    const config = { paths: [{ dir: '.', discover: true }], rules: { 'skills-elsewhere': 'off' } }
    const cwd = makeTree({ ...tree, 'agent-apps.config.json': JSON.stringify(config) })
    for (const command of ['check', 'compile', 'list', 'doctor']) {
      const { stdout, stderr } = await agentApps(cwd, [command])
      expect(stdout + stderr).not.toContain('no convention leads')
    }
  })
})

describe.each(oneIn(2, ['.cursor/skills', '.gemini/skills']))(
  'skills in %s, which only this program knows',
  place => {
    const tree: Tree = { ...GUESSED, [`${place}/own/SKILL.md`]: skill('own') }
    const names = ['own', 'plan', 'review', 'test']
    const MORE = `{"paths": ["./${place}","./experts","./packs/one/deep"]}`

    it('keep check, list and doctor from none of the others', async () => {
      const cwd = makeTree(tree)
      const { stdout } = await agentApps(cwd, ['check', '--json'])
      expect(JSON.parse(stdout)).toMatchObject({
        counts: { found: 4 },
        diagnostics: [{ rule: 'paths-guessed', note: expect.stringContaining(MORE) }],
      })
      expect(await listed(cwd)).toEqual(names)
      expect((await agentApps(cwd, ['list'])).stderr).toContain(MORE)
      const doctor = (await agentApps(cwd, ['doctor'])).stdout
      expect(doctor).toContain(MORE)
      expect(doctor).toContain('4 tools, 0 from an index, 4 from disk')
    })

    it('are what compile compiles, and the others are listed nevertheless', async () => {
      const cwd = makeTree(tree)
      expect((await agentApps(cwd, ['compile'])).stdout).toContain('compiled 1 skill ')
      expect(await listed(cwd)).toEqual(names)
    })

    it('do so only where no other place has skills', async () => {
      const cwd = makeTree({ ...tree, '.claude/skills/known/SKILL.md': skill('known') })
      expect(await listed(cwd)).toEqual(['known', 'own'])
    })
  },
)

it('of many places three are named, and how many more there are, in one short line', async () => {
  const places = Array.from({ length: 40 }, (_, at) => `docs/area-${at + 10}/deep-${at}/guide-${at}`)
  const root = makeTree({
    'skills/own/SKILL.md': skill('own'),
    ...Object.fromEntries(places.map((path, at) => [`${path}/SKILL.md`, skill(`guide-${at}`)])),
  })
  const { stdout } = await agentApps(root, ['check'])
  const lines = stdout.split('\n').filter(line => line.endsWith('skills-elsewhere'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(
    '40 skills lie where no plugin manifest and no convention leads, and are left out: docs/area-10/deep-0, docs/area-11/deep-1, docs/area-12/deep-2 and 37 more places.',
  )
  expect(lines[0]?.length).toBeLessThan(400)
})
