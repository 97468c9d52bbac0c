import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentAppsOptions } from 'agent-apps/vite'
import { createServer, type Plugin, type Rollup, type ViteDevServer } from 'vite'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { exampleProject, PLACED, saidByBundle, smallProject, untilSaid } from '../support/plugin-project.js'
import { skill, type Tree, writeTree } from '../support/tree.js'
import { built, config, failure } from '../support/vite-project.js'

const CHANGING: Tree = {
  'agent-apps.config.json': '{ "paths": ["./skills"] }',
  'lib/count.js': 'export const count = 1\n',
  'skills/three.skill.js':
    "import { count } from '../lib/count.js'\nexport const frontmatter = { name: 'three', description: 'Is three.' }\nexport default () => count\n",
  'more/four.skill.md': skill('four', 'Four.\n'),
}
const EDITS: [what: string, edit: (root: string) => void, now: string][] = [
  [
    'a skill',
    root => writeFileSync(join(root, 'skills/one/SKILL.md'), skill('one', 'Edited.\n')),
    'one,three Edited.\n1\n',
  ],
  [
    'a new skill',
    root => writeTree(root, { 'skills/new/SKILL.md': skill('new', 'New.\n') }),
    'new,one,three New.\nEdited.\n1\n',
  ],
  ['one that goes', root => rmSync(join(root, 'skills/new'), { recursive: true }), 'one,three Edited.\n1\n'],
  [
    'what code imports',
    root => writeFileSync(join(root, 'lib/count.js'), 'export const count = 2\n'),
    'one,three Edited.\n2\n',
  ],
  [
    'the configuration',
    root => writeFileSync(join(root, 'agent-apps.config.json'), '{ "paths": ["./more"] }'),
    'four Four.\n\n',
  ],
]

describe('vite build --watch', () => {
  const open: Rollup.RolldownWatcher[] = []
  afterEach(async () => void (await Promise.all(open.splice(0).map(one => one.close()))))

  async function watched(root: string): Promise<{ said: string[] }> {
    const said: string[] = []
    const watcher = (await built(root, { watch: {} }, {}, said)) as Rollup.RolldownWatcher
    watcher.on('event', event => {
      if (event.code === 'ERROR') said.push(event.error.message)
      if (event.code === 'BUNDLE_END') said.push('built')
    })
    open.push(watcher)
    return { said }
  }

  it('builds again where anything changes that decides', async () => {
    const root = smallProject(CHANGING)
    const { said } = await watched(root)
    await untilSaid(join(root, 'out'), 'app.js', 'one,three First.\n1\n')
    for (const [, edit, now] of EDITS) {
      edit(root)
      await untilSaid(join(root, 'out'), 'app.js', now)
    }
    // It comes to rest.
    await new Promise(done => setTimeout(done, 2_000))
    const { length } = said
    await new Promise(done => setTimeout(done, 2_000))
    expect(said).toHaveLength(length)
  })

  it('goes on after what was wrong', async () => {
    const root = smallProject()
    const { said } = await watched(root)
    await untilSaid(join(root, 'out'), 'app.js', 'one First.\n\n')
    writeTree(root, { 'skills/two.skill.md': '---\nname: [\n---\n' })
    await vi.waitFor(() => expect(said.join('\n')).toContain('yaml-syntax'), { timeout: 60_000 })
    writeTree(root, { 'skills/two.skill.md': skill('two') })
    await untilSaid(join(root, 'out'), 'app.js', 'one,two First.\nDo two.\n\n')
  })
})

describe('the development server', () => {
  const open: ViteDevServer[] = []
  afterEach(async () => void (await Promise.all(open.splice(0).map(one => one.close()))))

  async function served(root: string, own: AgentAppsOptions = {}) {
    const messages: string[] = []
    const server = await createServer({
      ...config(root, own, messages),
      appType: 'custom',
      server: { middlewareMode: true, ws: false },
    })
    open.push(server)
    /** What the browser is told. */
    const told: string[] = []
    server.environments.client.hot.send = (payload: object | string) =>
      void told.push(typeof payload === 'string' ? payload : String((payload as { type?: string }).type))
    const said = async (): Promise<string> => `${await (await server.ssrLoadModule('/said.js')).said()}\n`
    /** Waits until changes of a folder are seen. */
    const watching = async (folder: string): Promise<void> => {
      let isSeen = false
      server.watcher.once('all', () => {
        isSeen = true
      })
      await until(() => {
        writeFileSync(join(folder, 'touched.txt'), String(performance.now()))
        expect(isSeen).toBe(true)
      })
    }
    return { server, said, told, messages, watching }
  }
  /** The modules that the plugin makes anew for a change of a file. */
  function changed(server: ViteDevServer, file: string): unknown {
    const plugin = server.config.plugins.find(({ name }) => name === 'agent-apps') as Plugin
    const hotUpdate = plugin.hotUpdate as (this: object, change: object) => unknown
    return hotUpdate.call({ environment: server.environments.ssr }, { file, modules: [] })
  }
  const until = (check: () => void | Promise<void>): Promise<void> =>
    vi.waitFor(check, { timeout: 60_000, interval: 50 })

  it('says what the bundle says', async () => {
    const root = exampleProject()
    const { server, messages } = await served(root)
    const { answers } = await server.ssrLoadModule('/answers.js')
    expect(`${JSON.stringify(await answers())}\n`).toBe(await saidByBundle(root))
    const { tools } = await server.ssrLoadModule('virtual:agent-apps')
    expect(await tools.placed()).toBe(PLACED)
    expect(messages).toEqual([])
  })

  it('sees what changes, and has the page loaded anew', async () => {
    const root = smallProject(CHANGING)
    const { server, said, told } = await served(root)
    const loadPage = () => server.environments.client.transformRequest('/said.js')
    await loadPage()
    const code = () => server.environments.client.transformRequest('virtual:agent-apps')
    expect((await code())?.code).toContain('/@id/__x00__virtual:agent-apps/agent-apps-chunks/')
    expect(await said()).toBe('one,three First.\n1\n')
    // A change made to see that would have the page loaded anew itself, and the next one not until it was.
    await until(() =>
      expect(server.watcher.getWatched()[join(root, 'skills/one')] ?? []).toContain('SKILL.md'),
    )
    for (const [what, edit, now] of EDITS) {
      told.length = 0
      edit(root)
      await until(async () => expect(await said()).toBe(now))
      await until(() => expect(told, what).toContain('full-reload'))
      await loadPage()
      await code()
    }
  })

  it('sees skills that lie outside of its root', async () => {
    const root = smallProject({ 'web/said.js': "export * from '../said.js'\n" })
    const { said, watching } = await served(join(root, 'web'), { cwd: '..' })
    expect(await said()).toBe('one First.\n\n')
    await watching(join(root, 'skills'))
    writeTree(root, { 'skills/deep/two/SKILL.md': skill('two') })
    await until(async () => expect(await said()).toBe('one,two First.\nDo two.\n\n'))
  })

  it('goes on after what was wrong', async () => {
    const root = smallProject({ 'skills/two.skill.md': '---\nname: [\n---\n' })
    const { said, watching } = await served(root)
    expect(await failure(said())).toMatchObject({ loc: { file: join(root, 'skills/two.skill.md'), line: 2 } })
    await watching(join(root, 'skills'))
    writeTree(root, { 'skills/two.skill.md': skill('two') })
    await until(async () => expect(await said()).toBe('one,two First.\nDo two.\n\n'))
    renameSync(join(root, 'skills'), join(root, 'away'))
    await until(async () => expect(await failure(said())).toMatchObject({ pluginCode: 'NO_SKILL_PATHS' }))
    renameSync(join(root, 'away'), join(root, 'skills'))
    // Of a folder that comes back at once the bundler may miss that, and sees what changes in it next.
    await until(async () => {
      writeTree(root, { 'skills/two.skill.md': skill('two') })
      expect(await said()).toBe('one,two First.\nDo two.\n\n')
    })
  })

  it('sees skills whose folder is named like an index', async () => {
    const root = smallProject({ '.agent-apps-skills/one.skill.md': skill('one') })
    const { said } = await served(root, { paths: ['.agent-apps-skills'] })
    expect(await said()).toBe('one Do one.\n\n')
    await until(async () => {
      writeTree(root, { '.agent-apps-skills/one.skill.md': skill('one', 'Edited.\n') })
      expect(await said()).toBe('one Edited.\n\n')
    })
  })

  it('what compiling writes itself is not a change', async () => {
    const root = smallProject()
    const { server, said } = await served(root, { paths: ['.'] })
    expect(await said()).toContain('one First.')
    for (const path of [
      '.agent-apps.json',
      '.agent-apps.json.12.tmp',
      '.agent-apps/cache',
      'agent-apps.config.ts.12.mjs',
      'node_modules/two/skills/three.skill.md',
    ])
      expect(changed(server, join(root, path)), path).toBeUndefined()
    expect(changed(server, join(root, 'new.skill.md'))).toHaveLength(1)
  })

  it('compiles again after what nobody thought of', async () => {
    const root = smallProject()
    let fails = true
    const own = {
      get paths() {
        if (fails) throw new Error('busy')
        return ['skills']
      },
    }
    const { server } = await served(root, own)
    const loaded = () => server.environments.client.transformRequest('virtual:agent-apps')
    expect(await failure(loaded())).toMatchObject({ message: 'busy' })
    fails = false
    expect((await loaded())?.code).toContain('/agent-apps-chunks/')
  })

  it('sees what changes while it compiles for the first time', async () => {
    const root = smallProject({
      'more/four.skill.md': skill('four', 'Four.\n'),
      'agent-apps.config.mjs': [
        'globalThis.agentAppsReads()',
        'await globalThis.agentAppsMayRead',
        "export default { paths: ['./skills'] }",
        '',
      ].join('\n'),
    })
    let go = (): void => {}
    const isRead = new Promise<void>(reads =>
      Object.assign(globalThis, {
        agentAppsReads: reads,
        agentAppsMayRead: new Promise<void>(may => {
          go = may
        }),
      }),
    )
    const { server, said } = await served(root)
    const first = said()
    await isRead
    writeFileSync(join(root, 'agent-apps.config.mjs'), "export default { paths: ['./more'] }\n")
    const made = changed(server, join(root, 'agent-apps.config.mjs'))
    go()
    expect(made).toHaveLength(1)
    expect(await first).toBe('four Four.\n\n')
    expect(await said()).toBe('four Four.\n\n')
  })

  it('still has the files that code of an older bundle reads, whatever a newer one came to', async () => {
    const placed = (url: string): string =>
      `import { readFileSync } from 'node:fs'\nexport const frontmatter = { name: 'placed', description: 'Reads a file.' }\nexport default () => ${url}\n`
    const root = smallProject({
      'skills/placed.skill.js': placed("readFileSync(new URL('../lib/words.txt', import.meta.url), 'utf8')"),
      'lib/words.txt': 'words',
    })
    const { server, said, watching } = await served(root, { keep: ['placed'] })
    const { tools } = await server.ssrLoadModule('virtual:agent-apps')
    await watching(join(root, 'skills'))
    writeTree(root, { 'skills/placed.skill.js': placed("'none'") })
    await until(async () => expect(await said()).toBe('placed none\n'))
    expect(await tools.placed()).toBe('words')
  })

  it('has no module of a bundle that was never made', async () => {
    const { server } = await served(smallProject())
    expect(await failure(server.ssrLoadModule('\0virtual:agent-apps/lost.mjs'))).toMatchObject({
      message: expect.stringContaining('The bundle has no file lost.mjs.'),
    })
  })

  it('still has the chunks of the bundle that a page began with', async () => {
    const root = smallProject()
    const { server, said, watching } = await served(root)
    const { tools } = await server.ssrLoadModule('virtual:agent-apps')
    await watching(join(root, 'skills'))
    writeTree(root, { 'skills/one/SKILL.md': skill('one', 'Edited.\n') })
    await until(async () => expect(await said()).toBe('one Edited.\n\n'))
    expect(await tools.one()).toBe('First.\n')
  })
})
