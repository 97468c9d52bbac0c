import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { clean, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeSkills, installInto } from '../support/code-project.js'
import { temporary } from '../support/temporary.js'
import { compiled, makeTree, setTimes, skill, snapshot, type Tree, writeTree } from '../support/tree.js'

const CODE = (name: string, more = ''): string =>
  `${more}export const frontmatter = { name: '${name}', description: 'Is ${name}.' }\nexport default () => '${name}'\n`
const SKILLS: Tree = {
  'one.skill.ts': CODE('one', "import { shared } from './lib/shared.js'\nexport const used = shared\n"),
  'two.skill.ts': CODE('two', "import { shared } from './lib/shared.js'\nexport const used = shared\n"),
  'three.skill.js': CODE('three'),
  'dynamic.skill.js': `export const frontmatter = { name: 'dynamic', description: String(1 + 1) }\nexport default () => 'dynamic'\n`,
  'text/SKILL.md': skill('text'),
  'greet.skill.md': skill(
    'greet',
    'Body.\n',
    'metadata:\n  delegate: "inline://code,export default () => \'hi\'"\n',
  ),
  'lib/shared.js': "export const shared = 'shared'\n",
}

let compiledOnce: Promise<string> | undefined

/** A copy of the compiled skills, in a project of its own. */
async function compiledSkills(): Promise<{ root: string; dir: string }> {
  compiledOnce ??= (async () => {
    const { root, dir } = codeSkills(SKILLS)
    setTimes(dir)
    await compile({ paths: [dir], cwd: dir })
    return root
  })()
  const root = join(temporary(), 'copied')
  cpSync(await compiledOnce, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return { root, dir: join(root, 'skills') }
}

const modulesOf = (dir: string): string[] =>
  readdirSync(join(dir, '.agent-apps'))
    .filter(name => /\.mjs(\.map)?$/.test(name))
    .sort()

describe('compiling code again', () => {
  it('writes nothing where nothing changed', async () => {
    const { dir } = await compiledSkills()
    const before = snapshot(dir, { times: true })
    const again = await compile({ paths: [dir], cwd: dir })
    expect(again).toMatchObject({ written: [], reused: 6, outdated: [] })
    expect(snapshot(dir, { times: true })).toEqual(before)
  })

  it('writes the index and the one module whose skill changed', async () => {
    const { dir } = await compiledSkills()
    const before = modulesOf(dir)
    writeFileSync(join(dir, 'three.skill.js'), CODE('three').replace("=> 'three'", "=> 'changed'"))
    const { written, reused } = await compile({ paths: [dir], cwd: dir })
    const after = modulesOf(dir)
    const fresh = after.filter(name => !before.includes(name))
    expect(fresh.map(name => name.replace(/-[0-9A-Z]{8}/, ''))).toEqual(['module.mjs', 'module.mjs.map'])
    expect([...written].sort()).toEqual(
      [...fresh.map(name => `.agent-apps/${name}`), '.agent-apps.json'].sort(),
    )
    expect(after).toHaveLength(before.length)
    expect(reused).toBe(5)
    for (const freshness of ['trust', 'check'] as const)
      expect(await createRuntime({ paths: [dir], freshness }).invoke('three')).toBe('changed')
  })

  it('writes the modules that hold a file that changed', async () => {
    const { dir } = await compiledSkills()
    const before = modulesOf(dir)
    writeFileSync(join(dir, 'lib/shared.js'), "export const shared = 'other'\n")
    expect((await compile({ paths: [dir], cwd: dir, check: true })).outdated).toContain('.agent-apps.json')
    await compile({ paths: [dir], cwd: dir })
    const kinds = modulesOf(dir)
      .filter(name => !before.includes(name) && name.endsWith('.mjs'))
      .map(name => name.split('-')[0])
    // The two that import it and what they share; not the others.
    expect(kinds.sort()).toEqual(['chunk', 'module', 'module'])
    expect(await compile({ paths: [dir], cwd: dir })).toMatchObject({ written: [] })
  })

  it('gives the bytes that a first compile elsewhere gives', { tags: 'long' }, async () => {
    const { dir } = await compiledSkills()
    writeFileSync(join(dir, 'three.skill.js'), CODE('three').replace("=> 'three'", "=> 'changed'"))
    writeFileSync(join(dir, 'lib/shared.js'), "export const shared = 'other'\n")
    await compile({ paths: [dir], cwd: dir })
    const root = makeTree({ 'a/b/package.json': '{}\n' })
    installInto(join(root, 'a/b'))
    const elsewhere = join(root, 'a/b/skills')
    writeTree(elsewhere, {
      ...SKILLS,
      'three.skill.js': CODE('three').replace("=> 'three'", "=> 'changed'"),
      'lib/shared.js': "export const shared = 'other'\n",
    })
    await compile({ paths: ['skills'], cwd: join(root, 'a/b') })
    expect(compiled(elsewhere)).toEqual(compiled(dir))
    expect(modulesOf(dir).length).toBeGreaterThan(8)
  })

  it('--check finds it up to date, also where metadata is known only by running it', {
    tags: 'long',
  }, async () => {
    const { dir } = await compiledSkills()
    expect(await compile({ paths: [dir], cwd: dir, check: true })).toMatchObject({ outdated: [], stale: [] })
    writeFileSync(join(dir, 'dynamic.skill.js'), String(SKILLS['dynamic.skill.js']).replace('1 + 1', '2 + 2'))
    const { outdated, stale } = await compile({ paths: [dir], cwd: dir, check: true })
    expect(stale).toEqual(['dynamic'])
    expect(outdated).toContain('.agent-apps.json')
    const { skills } = await compile({ paths: [dir], cwd: dir })
    expect(skills).toHaveLength(6)
    expect(await compile({ paths: [dir], cwd: dir, check: true })).toMatchObject({ outdated: [], stale: [] })
  })

  it('--check finds it up to date, also where importing a skill throws', { tags: 'long' }, async () => {
    const { dir } = codeSkills({
      'bad.skill.js': `${CODE('bad')}throw new Error('No.')\n`,
      'a.skill.js': CODE('a'),
    })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(({ ruleId }) => ruleId)).toEqual(['code-throws'])
    const checked = await compile({ paths: [dir], cwd: dir, check: true })
    expect(checked).toMatchObject({ outdated: [], stale: [] })
    expect(checked.diagnostics.map(({ ruleId }) => ruleId)).toEqual(['not-evaluated', 'code-throws'])
  })

  it('clean removes all that was made, and nothing else', { tags: 'long' }, async () => {
    const { dir } = codeSkills(SKILLS)
    const before = snapshot(dir)
    await compile({ paths: [dir], cwd: dir })
    const foreign = [
      '.agent-apps/notes.txt',
      '.agent-apps/module-mine.mjs',
      '.agent-apps/module-ABCDEFGH.mjs',
    ]
    for (const file of foreign) writeFileSync(join(dir, file), 'Mine.')
    await clean({ paths: [dir], cwd: dir })
    expect(
      readdirSync(join(dir, '.agent-apps'))
        .map(name => `.agent-apps/${name}`)
        .sort(),
    ).toEqual(foreign.sort())
    expect(existsSync(join(dir, '.agent-apps.json'))).toBe(false)
    const { '.agent-apps': _, ...rest } = snapshot(dir)
    expect(
      Object.fromEntries(Object.entries(rest).filter(([path]) => !path.startsWith('.agent-apps/'))),
    ).toEqual(before)
  })

  it('a module that is gone is made again', { tags: 'long' }, async () => {
    const { dir } = await compiledSkills()
    const [first = ''] = modulesOf(dir)
    const path = join(dir, '.agent-apps', first)
    const bytes = readFileSync(path, 'utf8')
    await clean({ paths: [dir], cwd: dir })
    await compile({ paths: [dir], cwd: dir })
    expect(readFileSync(path, 'utf8')).toBe(bytes)
  })
})
