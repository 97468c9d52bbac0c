import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { installInto } from '../support/code-project.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { tsc } from '../support/tsc.js'

const PAGE = readFileSync(join(ROOT, 'docs/deploying.md'), 'utf8')
const HOSTS = readFileSync(join(ROOT, 'docs/hosts.md'), 'utf8')
const MONOREPO = readFileSync(join(ROOT, 'docs/monorepo.md'), 'utf8')

/** The page's example of that heading. */
function example(heading: string): string {
  return new RegExp(`^\`\`\`${heading}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE)?.[1] ?? ''
}

/** The example's project, where this package is installed. */
function project(): string {
  const root = temporary()
  cpSync(join(ROOT, 'examples/bundle'), root, { recursive: true })
  installInto(root)
  return root
}

const CLI = join(ROOT, 'dist/cli/main.js')

function command(cwd: string, line: string): string {
  const [, name, ...args] = /\$ (agent-apps .*)/.exec(line)?.[1]?.split(' ').map(String) ?? []
  const { stdout, stderr, status } = spawnSync(process.execPath, [CLI, name ?? '', ...args], {
    cwd,
    encoding: 'utf8',
  })
  // What the catalog costs is told besides.
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringMatching(/^(?:catalog: .*\n)?(?:left out of the bundle, .*\n)?$/),
  })
  return stdout
}

describe('docs/deploying.md, over examples/bundle', () => {
  let root: string
  /** The output alone, where nothing else is. */
  let app: string
  beforeAll(() => {
    root = project()
    command(root, example('console'))
    app = temporary()
    cpSync(join(root, 'dist'), join(app, 'dist'), { recursive: true })
  })

  async function load<Module>(name: string): Promise<Module> {
    writeFileSync(join(app, name), example(`js ${name}`))
    return import(pathToFileURL(join(app, name)).href)
  }

  it('writes the files that the page names', () => {
    expect(readdirSync(join(root, 'dist')).sort()).toEqual(['agent-chunks', 'agent.d.mts', 'agent.mjs'])
    expect(readdirSync(join(root, 'dist/agent-chunks'))).toContain('bundle.json')
    for (const name of readdirSync(join(root, 'dist'))) expect(PAGE).toContain(`dist/${name}`)
  })

  it('has a program', async () => {
    const { counted, same, style, via } = await load<Record<string, unknown>>('app.mjs')
    expect([counted, same]).toEqual(['2 WORDS! (word-count)', '2 WORDS! (word-count)'])
    expect(new TextDecoder().decode(style as Uint8Array)).toMatch(/^Plain words/)
    expect(via).toMatchObject({ disk: 0, index: 0 })
  })

  it('has types, one of whose calls is wrong', { tags: 'long' }, () => {
    writeFileSync(join(root, 'typed.mts'), example('ts'))
    const stdout = tsc(root, ['--module', 'nodenext', 'typed.mts'])
    expect(stdout.match(/^\S+\(\d+,\d+\): error/gm)).toEqual([expect.stringContaining('typed.mts(4,')])
  })

  it('says with its own program what the project says from its indexes', { tags: 'long' }, async () => {
    for (const name of ['app.mjs', 'answers.mjs'])
      cpSync(join(ROOT, 'examples/bundle', name), join(app, name))
    const { stdout, stderr } = spawnSync(process.execPath, ['app.mjs'], { cwd: app, encoding: 'utf8' })
    expect(stderr).toBe('')
    const said = JSON.parse(stdout)
    const runtime = createRuntime({ cwd: root, paths: ['skills'], freshness: 'trust' })
    expect(said).toMatchObject({
      count: await runtime.invoke('word-count', { text: 'one two three' }),
      moody: await runtime.invoke('moody'),
      refused: { code: 'ARGS_INVALID' },
      review: await runtime.invoke('review', { urgent: true }),
      content: await runtime.render('review'),
      names: ['desk', 'loud', 'moody', 'review', 'word-count'].map(name =>
        expect.stringMatching(`^${name} from /skills/`),
      ),
      explained: ['timeout', 'retry', 'loud'],
      stats: { cascadesComputed: 0 },
    })
    expect(said.review).toContain('It is urgent')
    expect(said.content).not.toContain('It is urgent')
  })
})

describe('docs/hosts.md and docs/monorepo.md, over the other examples', () => {
  const shown = [...`${HOSTS}\n${MONOREPO}`.matchAll(/^```\w+ (examples\/\S+)\n([\s\S]*?)^```$/gm)]

  it('shows files as they are', () => {
    expect(shown.map(([, file]) => file)).toEqual([
      'examples/container/answer.mjs',
      'examples/container/Dockerfile',
      'examples/container/server.mjs',
      'examples/container/.dockerignore',
      'examples/serverless/handler.mjs',
      'examples/edge-worker/worker.mjs',
      'examples/edge-worker/wrangler.json',
      'examples/monorepo/apps/desk/agent-apps.config.json',
      'examples/monorepo/turbo.json',
      'examples/monorepo/nx.json',
    ])
    for (const [, file = '', text] of shown) expect(text).toBe(readFileSync(join(ROOT, file), 'utf8'))
  })

  it('names every folder of examples that is deployed', () => {
    const folders = readdirSync(join(ROOT, 'examples'), { withFileTypes: true })
      .filter(entry => entry.isDirectory() && existsSync(join(ROOT, 'examples', entry.name, 'package.json')))
      .map(({ name }) => name)
    const named = [...HOSTS.matchAll(/^\| `(\S+)\/` \|/gm)].map(([, name]) => name)
    expect(named.sort()).toEqual([...folders, 'bundle'].sort())
  })

  it('says whose a directory is: two projects write its index in turns', async () => {
    const root = temporary()
    for (const name of ['desk', 'phone', 'shared']) {
      mkdirSync(join(root, name), { recursive: true })
      writeFileSync(
        join(root, name, `${name}-hours.skill.md`),
        `---\nname: ${name}-hours\ndescription: Says when the ${name} is there.\n---\nAt nine.\n`,
      )
    }
    const made = async (name: string, external: boolean): Promise<string[]> => {
      const { written } = await compile({ cwd: root, paths: [name, { dir: 'shared', external }] })
      return written.filter(file => file.startsWith('shared/'))
    }
    for (const name of ['desk', 'phone', 'desk'])
      expect(await made(name, false)).toEqual(['shared/.agent-apps.json'])
    for (const name of ['desk', 'phone', 'desk']) expect(await made(name, true)).toEqual([])
  })
})
