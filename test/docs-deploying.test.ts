import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { installInto } from './support/code-project.js'
import { ROOT } from './support/processes.js'
import { temporary } from './support/temporary.js'

const PAGE = readFileSync(join(ROOT, 'docs/deploying.md'), 'utf8')

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
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/^(?:catalog: .*\n)?$/) })
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

  it('has a function', async () => {
    type Handler = { handler: (event: object) => Promise<object> }
    const { handler } = await load<Handler>('handler.mjs')
    expect(await handler({ tool: 'word-count', args: { text: 'one' } })).toEqual({
      result: '1 WORDS! (word-count)',
    })
  })

  it('has a worker', async () => {
    type Worker = { default: { fetch: (request: Request) => Promise<Response> } }
    const worker = await load<Worker>('worker.mjs')
    const request = new Request('http://localhost/', {
      method: 'POST',
      body: '{"tool":"word-count","args":{"text":"one"}}',
    })
    expect(await (await worker.default.fetch(request)).json()).toEqual({ result: '1 WORDS! (word-count)' })
  })

  it('has types, one of whose calls is wrong', () => {
    writeFileSync(join(root, 'typed.mts'), example('ts'))
    const { stdout } = spawnSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/typescript/bin/tsc'),
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2022',
        '--types',
        '',
        'typed.mts',
      ],
      { cwd: root, encoding: 'utf8' },
    )
    expect(stdout.match(/^\S+\(\d+,\d+\): error/gm)).toEqual([expect.stringContaining('typed.mts(4,')])
  })

  it('has a monorepo', async () => {
    const repository = temporary()
    const desk = join(repository, 'apps/desk')
    mkdirSync(join(repository, 'shared/skills'), { recursive: true })
    cpSync(join(root, 'skills'), join(desk, 'skills'), { recursive: true })
    cpSync(join(desk, 'skills/loud.skill.ts'), join(repository, 'shared/skills/loud.skill.ts'))
    rmSync(join(desk, 'skills/loud.skill.ts'))
    writeFileSync(join(desk, 'agent-apps.config.json'), example('json apps/desk/agent-apps.config.json'))
    await compile({ cwd: desk, bundle: 'dist/agent.mjs' })
    rmSync(join(repository, 'shared'), { recursive: true })
    const { tools } = await import(pathToFileURL(join(desk, 'dist/agent.mjs')).href)
    expect(await tools['word-count']({ text: 'one' })).toBe('1 WORDS! (word-count)')
  })

  it('says with its own program what the project says from its indexes', async () => {
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
