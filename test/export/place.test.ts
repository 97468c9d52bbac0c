import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportSkills } from 'agent-apps/export'
import { expect, it } from 'vitest'
import { EXPORT_PROJECT, exported } from '../support/export-project.js'
import { isLong } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill, snapshot, writeTree } from '../support/tree.js'

/** The refusal of an export into a folder of which nothing may change. */
async function refused(dir: string, cwd = makeTree(EXPORT_PROJECT), around = dir): Promise<string> {
  const before = snapshot(around)
  const error = await exportSkills({ to: 'skills', dir, cwd }).then(
    () => null,
    thrown => thrown,
  )
  expect(error).toMatchObject({ code: 'EXPORT_PLACE', hint: expect.any(String), file: expect.any(String) })
  expect(snapshot(around)).toEqual(before)
  return error.message.replaceAll(dir, 'DIR').replaceAll(cwd, 'CWD')
}

it('files that are from no export are not replaced', async () => {
  const dir = makeTree({ 'README.md': 'Mine.\n', 'pdf/SKILL.md': 'Mine.\n', 'lint/SKILL.md': 'Mine.\n' })
  expect(await refused(dir)).toBe(
    'Nothing was exported to DIR/lint/SKILL.md. There is a file of that name that no export wrote, and 1 more files are in the way.',
  )
})

it('files that are in nobody’s way stay', async () => {
  const cwd = makeTree(EXPORT_PROJECT)
  const dir = makeTree({ 'README.md': 'Mine.\n', 'pdf/notes.md': 'Mine.\n' })
  await exportSkills({ to: 'skills', dir, cwd })
  rmSync(join(cwd, 'skills/pdf'), { recursive: true })
  const { removed } = await exportSkills({ to: 'skills', dir, cwd })
  expect(removed).toEqual(['pdf/SKILL.md'])
  expect(readFileSync(join(dir, 'README.md'), 'utf8')).toBe('Mine.\n')
  expect(readFileSync(join(dir, 'pdf/notes.md'), 'utf8')).toBe('Mine.\n')
})

it('a file that was changed since is neither replaced nor removed', { tags: 'long' }, async () => {
  const { cwd, dir } = await exported('skills')
  writeFileSync(join(dir, 'pdf/SKILL.md'), 'Mine.\n')
  const message = 'Nothing was exported to DIR/pdf/SKILL.md. The file was changed after it was exported.'
  expect(await refused(dir, cwd)).toBe(message)
  rmSync(join(cwd, 'skills/pdf'), { recursive: true })
  expect(await refused(dir, cwd)).toBe(message)
})

it('no link leads an export out of its folder', async () => {
  const outside = temporary()
  const dir = temporary()
  symlinkSync(outside, join(dir, 'pdf'))
  expect(await refused(dir)).toBe('Nothing was exported to DIR/pdf/SKILL.md. pdf is a link and not a folder.')
  expect(snapshot(outside)).toEqual({})

  rmSync(join(dir, 'pdf'))
  mkdirSync(join(dir, 'pdf'))
  symlinkSync(join(outside, 'new.md'), join(dir, 'pdf/SKILL.md'))
  expect(await refused(dir)).toBe('Nothing was exported to DIR/pdf/SKILL.md. There is a link of that name.')
  expect(snapshot(outside)).toEqual({})
})

it('a list that leads out of the folder removes nothing there', async () => {
  const folder = makeTree({ 'precious.md': 'Mine.\n' })
  const dir = join(folder, 'out')
  const digest = 'e5c0cf6e9f25e0e3ce0a6c5ec4f1d4fef3ae0e6e2bd5d6a43a2c57b3d9a2f6c1'
  writeTree(dir, { '.agent-apps-export.json': JSON.stringify({ files: { '../precious.md': [digest] } }) })
  expect(await refused(dir, undefined, folder)).toBe(
    'Nothing was exported to DIR/.agent-apps-export.json. It is not a list of an export.',
  )
})

it.each(['a\0b', 'a/'.repeat(3000)])('a list with a path that no system takes is refused', async path => {
  const files = { [`${path}b`]: [] }
  const dir = makeTree({ '.agent-apps-export.json': JSON.stringify({ files }) })
  await refused(dir)
})

it('a folder that the project reads its skills from is refused', async () => {
  const cwd = makeTree(EXPORT_PROJECT)
  expect(await refused(join(cwd, 'skills'), cwd)).toBe(
    'Nothing was exported to DIR. The project itself reads the skill lint from DIR.',
  )
  expect(await refused(join(cwd, 'skills/out'), cwd, cwd)).toBe(
    'Nothing was exported to DIR. It lies in CWD/skills, whose skills are exported.',
  )
  // What begins with a dot is not searched.
  const { skills } = await exportSkills({ to: 'skills', dir: 'skills/.well-known', cwd })
  expect(skills).toHaveLength(3)
})

it('a folder of a repository that was exported to before, and is searched, is refused', async () => {
  const cwd = makeTree({ '.claude/skills/pdf/SKILL.md': skill('pdf') })
  const options = { to: 'skills', dir: 'skills', cwd } as const
  await exportSkills(options)
  expect(await refused(join(cwd, 'skills'), cwd, cwd)).toMatch(
    /The project itself reads the skill pdf from DIR/,
  )
})

it('a dry run leaves an earlier export as it is', async () => {
  const { cwd, dir } = await exported('skills')
  writeFileSync(join(cwd, 'skills/pdf/SKILL.md'), skill('pdf', 'Read it twice.\n'))
  const before = snapshot(dir)
  const { written } = await exportSkills({ to: 'skills', dir, cwd, dryRun: true })
  expect(written).toEqual(['pdf/SKILL.md'])
  expect(snapshot(dir)).toEqual(before)
})

/** Exports in a process of its own that is killed at the `number`th file that it puts in its place; true where it was. */
function killedAt(number: number, cwd: string, dir: string): boolean {
  const code = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { renameSync } = fs
    let left = ${number}
    fs.renameSync = (from, to) => {
      if (from.endsWith('.new') && --left === 0) process.kill(process.pid, 'SIGKILL')
      renameSync(from, to)
    }
    syncBuiltinESMExports()
    const { exportSkills } = await import('agent-apps/export')
    await exportSkills(${JSON.stringify({ to: 'skills', dir, cwd })})
  `
  const { signal, status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (signal === null && status !== 0) throw new Error(stderr)
  return signal === 'SIGKILL'
}

it.runIf(isLong)('an export that was killed is put right by the next one', async () => {
  const { cwd, dir } = await exported('skills')
  rmSync(join(cwd, 'skills/lint.skill.md'))
  let round = 0
  const change = (): void => {
    round++
    for (const name of ['pdf', 'new'])
      writeTree(cwd, { [`skills/${name}/SKILL.md`]: skill(name, `Read it ${round} times.\n`) })
  }
  change()
  let number = 1
  for (; killedAt(number, cwd, dir); number++) {
    change()
    await exportSkills({ to: 'skills', dir, cwd })
    const fresh = await exported('skills', { cwd })
    expect(snapshot(dir)).toEqual(snapshot(fresh.dir))
    change()
  }
  // The list, the two files, and the list again.
  expect(number).toBe(5)
})

it('a link to a folder is that folder', async () => {
  const cwd = makeTree({ ...EXPORT_PROJECT, out: { link: 'skills' } })
  expect(await refused(join(cwd, 'out'), cwd)).toContain(
    'The project itself reads the skill lint from CWD/skills.',
  )
  const elsewhere = temporary()
  symlinkSync(elsewhere, join(cwd, 'site'))
  const { dir } = await exportSkills({ to: 'skills', dir: 'site', cwd })
  expect(dir).toBe(elsewhere)
  symlinkSync('nowhere', join(cwd, 'broken'))
  expect(await refused(join(cwd, 'broken', 'x'), cwd, cwd)).toContain('It is not a folder')
  expect(await refused(join(cwd, 'package.json'), cwd, cwd)).toContain('It is not a folder')
})

it('what the system refuses is told', async () => {
  const { cwd, dir } = await exported('skills')
  writeFileSync(join(cwd, 'skills/pdf/SKILL.md'), skill('pdf', 'Read it twice.\n'))
  // A folder cannot be replaced by a file, whoever the user is.
  const taken = join(dir, '.agent-apps-export.new')
  mkdirSync(taken)
  await expect(exportSkills({ to: 'skills', dir, cwd })).rejects.toMatchObject({
    code: 'EXPORT_PLACE',
    message: expect.stringContaining('It could not be read or written: '),
    file: taken,
  })
})

it('a dry run writes nothing', async () => {
  const { dir, result } = await exported('plugin', { dryRun: true, patterns: ['pdf'] })
  expect(result.written).toContain('.claude-plugin/plugin.json')
  expect(() => readFileSync(join(dir, '.claude-plugin/plugin.json'))).toThrow('ENOENT')
})
