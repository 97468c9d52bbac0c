import fs, { renameSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { type AgentAppsOptions, agentApps } from 'agent-apps/esbuild'
import { type BuildContext, type BuildResult, context } from 'esbuild'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { run, smallProject, untilSaid } from '../support/plugin-project.js'
import { skill, writeTree } from '../support/tree.js'

/** The text of a message that names a rule, or an error's code. */
const ofRule = (id: string): unknown => expect.stringMatching(new RegExp(`\\(${id}\\)$`))

describe('building again', () => {
  const open: BuildContext[] = []
  afterEach(() => Promise.all(open.splice(0).map(one => one.dispose())))

  async function opened(
    root: string,
    own: AgentAppsOptions = {},
  ): Promise<{ made: BuildContext; ends: BuildResult[] }> {
    const ends: BuildResult[] = []
    const made = await context({
      absWorkingDir: root,
      entryPoints: ['app.js'],
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      outdir: 'out',
      logLevel: 'silent',
      plugins: [
        agentApps(own),
        { name: 'ends', setup: ({ onEnd }) => onEnd(result => void ends.push(result)) },
      ],
    })
    open.push(made)
    return { made, ends }
  }
  const said = (root: string): string => run(join(root, 'out'), 'app.js')
  const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000, interval: 50 })
  /** Waits until the build no longer answers what it wrote itself into the folder: esbuild misses edits made meanwhile. */
  const quiet = async (ends: readonly BuildResult[]): Promise<void> => {
    for (let before = -1; before !== ends.length; ) {
      before = ends.length
      await new Promise(done => setTimeout(done, 2_500))
    }
  }

  it('sees what changed', async () => {
    const root = smallProject()
    const { made } = await opened(root)
    await made.rebuild()
    expect(said(root)).toBe('one First.\n\n')
    writeTree(root, { 'skills/one/SKILL.md': skill('one', 'Second.\n'), 'skills/two.skill.md': skill('two') })
    await made.rebuild()
    expect(said(root)).toBe('one,two Second.\nDo two.\n\n')
  })

  it('is what a watch does where anything changes that decides', async () => {
    const root = smallProject({
      'agent-apps.config.json': '{ "paths": ["./skills"] }',
      'lib/count.js': 'export const count = 1\n',
      'skills/three.skill.js':
        "import { count } from '../lib/count.js'\nexport const frontmatter = { name: 'three', description: 'Is three.' }\nexport default () => count\n",
      'more/four.skill.md': skill('four', 'Four.\n'),
    })
    const { made, ends } = await opened(root)
    await made.watch()
    await untilSaid(join(root, 'out'), 'app.js', 'one,three First.\n1\n')
    const edits: [() => void, string][] = [
      [
        () => writeFileSync(join(root, 'skills/one/SKILL.md'), skill('one', 'Edited.\n')),
        'one,three Edited.\n1\n',
      ],
      [
        () => writeTree(root, { 'skills/new/SKILL.md': skill('new', 'New.\n') }),
        'new,one,three New.\nEdited.\n1\n',
      ],
      [() => rmSync(join(root, 'skills/new'), { recursive: true }), 'one,three Edited.\n1\n'],
      [() => writeFileSync(join(root, 'lib/count.js'), 'export const count = 2\n'), 'one,three Edited.\n2\n'],
      [
        () => writeFileSync(join(root, 'agent-apps.config.json'), '{ "paths": ["./more"] }'),
        'four Four.\n\n',
      ],
    ]
    for (const [edit, now] of edits) {
      edit()
      await untilSaid(join(root, 'out'), 'app.js', now)
    }
    // What compiling writes is not a change.
    const { length } = ends
    await new Promise(done => setTimeout(done, 2_500))
    expect(ends).toHaveLength(length)
  })

  it('goes on after a folder that could not be read', async () => {
    const root = smallProject({ 'skills/two/SKILL.md': skill('two') })
    const { readdirSync: readFolder } = fs
    const refused = vi.spyOn(fs, 'readdirSync').mockImplementation(((path: string, options: object) => {
      if (path === join(root, 'skills/two')) throw Object.assign(new Error('refused'), { code: 'EACCES' })
      return readFolder(path, options as never)
    }) as never)
    syncBuiltinESMExports()
    const { made, ends } = await opened(root)
    try {
      await made.watch()
      await until(() => expect(ends[0]?.errors).toMatchObject([{ text: ofRule('file-unreadable') }]))
    } finally {
      refused.mockRestore()
      syncBuiltinESMExports()
    }
    writeTree(root, { 'skills/two/more.txt': 'More.\n' })
    await untilSaid(join(root, 'out'), 'app.js', 'one,two First.\nDo two.\n\n')
  })

  it('goes on after what was wrong', async () => {
    const root = smallProject()
    const { made, ends } = await opened(root)
    await made.watch()
    await untilSaid(join(root, 'out'), 'app.js', 'one First.\n\n')
    await quiet(ends)
    writeTree(root, { 'skills/two.skill.md': '---\nname: [\n---\n' })
    await until(() =>
      expect(ends.at(-1)?.errors).toMatchObject([{ location: { file: 'skills/two.skill.md' } }]),
    )
    renameSync(join(root, 'skills'), join(root, 'away'))
    await until(() => expect(ends.at(-1)?.errors).toMatchObject([{ text: ofRule('NO_SKILL_PATHS') }]))
    writeTree(root, { 'away/two.skill.md': skill('two') })
    renameSync(join(root, 'away'), join(root, 'skills'))
    await untilSaid(join(root, 'out'), 'app.js', 'one,two First.\nDo two.\n\n')
  })
})
