import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PageAsk, PageGraph, PageProblems, PagePrompt } from '../../cli/explore/page-data.js'
import { agentApps } from '../support/commands.js'
import { ExploredPage } from '../support/explored-page.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

const HOSTILE = '</script><script>alert(1)</script><!--'
const PROJECT: Tree = {
  'agent-apps.config.json': '{ "paths": ["./skills"] }\n',
  'skills/notes/SKILL.md': skill(
    'notes',
    '# Notes\n\nSee [the guide](guide.md).\n',
    'metadata:\n  timeout: 1000\n  permissions: { required: [read], optional: [network] }\n',
  ),
  'skills/notes/guide.md': '# Guide\n',
  'skills/broken/SKILL.md': '---\nname: broken\ndescription: [\n---\nText.\n',
  'skills/hostile/SKILL.md': `---\nname: hostile\ndescription: ${JSON.stringify(HOSTILE)}\n---\n${HOSTILE}\n`,
  'skills/count.skill.js':
    "export const frontmatter = { name: 'count', description: 'Counts.' }\nexport default () => 1\n",
}

async function written(root: string, ...options: string[]): Promise<ExploredPage> {
  const { status, stderr } = await agentApps(root, ['explore', '--out', 'page.html', ...options])
  expect([status, stderr]).toEqual([0, ''])
  return new ExploredPage(readFileSync(join(root, 'page.html'), 'utf8'))
}

describe('agent-apps explore --out', () => {
  it('writes what a project has, with what does not load, and how each skill came about', async () => {
    const page = await written(makeTree(PROJECT))
    const { rows, directories } = page.rows
    expect(directories).toEqual(['skills'])
    expect(rows.map(({ name, kind, errors }) => [name, kind, errors])).toEqual([
      ['count', 'code', 0],
      ['hostile', 'folder', 0],
      ['notes', 'folder', 0],
      ['broken', 'broken', 1],
    ])
    expect(rows[2]).toMatchObject({
      file: 'skills/notes/SKILL.md',
      required: ['read'],
      optional: ['network'],
    })
    const notes = page.details('notes')
    expect(notes?.source?.slice(...(notes.content ?? []))).toBe('# Notes\n\nSee [the guide](guide.md).\n')
    expect(notes?.chain.map(({ name }) => name)).toEqual(['timeout'])
    expect(notes?.cascade).toContainEqual(
      expect.objectContaining({ key: 'timeout', value: 1000, file: 'skills/notes/SKILL.md', line: 5 }),
    )
    expect(notes?.resources).toEqual([{ path: 'guide.md', size: 8 }])
    expect(page.details('broken')?.source).toContain('description: [')
    const { nodes, edges } = page.read<PageGraph>('graph')
    expect(edges.map(({ from, to, kind }) => [nodes[from]?.name, kind, nodes[to]?.name])).toEqual([
      ['notes', 'link', 'guide.md'],
      ['notes', 'middleware', 'timeout'],
    ])
  })

  it('finds, lists and judges as the other commands do', async () => {
    const root = makeTree({
      ...PROJECT,
      'skills/hostile/trigger_queries.json': '[{ "query": "counts", "should_trigger": true }]\n',
    })
    const page = await written(root)
    const ask = page.read<PageAsk>('ask')
    expect(ask.names).toEqual(['count', 'hostile', 'notes'])
    // A skill that needs a permission is none that an agent knows without it.
    expect(ask.parts).toBe('220')
    expect(ask.evaluation).toMatchObject({
      ...{ prompts: 1, first: 0 },
      notFirst: [{ query: 'counts', skill: 'hostile', first: 'count', line: 1 }],
    })
    const { stdout } = await agentApps(root, ['catalog', '--json'])
    expect(page.read<PagePrompt>('prompt').tools.map(({ name }) => name)).toEqual(
      JSON.parse(stdout).described,
    )
  })

  it('marks what a baseline accepts, and lists what is gone', async () => {
    const root = makeTree(PROJECT)
    await agentApps(root, ['check', '--write-baseline', 'baseline.json'])
    writeFileSync(join(root, 'skills/broken/SKILL.md'), skill('broken', 'Text.\n'))
    writeFileSync(join(root, 'skills/notes/SKILL.md'), '---\nname: notes\ndescription: [\n---\n')
    const { problems, baseline } = (await written(root, '--baseline', 'baseline.json')).read<PageProblems>(
      'problems',
    )
    const errors = problems.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ file, known }) => [file, known])).toEqual([['skills/notes/SKILL.md', false]])
    expect(baseline?.gone.map(({ file }) => file)).toContain('skills/broken/SKILL.md')
  })

  it('has nothing of a skill outside of its blocks, and allows its own script and style alone', async () => {
    const { html, rows } = await written(makeTree(PROJECT))
    expect(rows.rows.find(({ name }) => name === 'hostile')?.description).toBe(HOSTILE)
    const scripts = [...html.matchAll(/<script(?: type="[^"]*" data-block="[\w-]+")?>/g)].map(([tag]) => tag)
    expect(scripts.filter(tag => tag === '<script>')).toHaveLength(1)
    expect(html.match(/<script/g)).toHaveLength(scripts.length)
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(html) ?? []
    const hashOf = (element: string): string => {
      const [, text = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(html) ?? []
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    }
    expect(Object.fromEntries(policy.split('; ').map(one => one.split(/ (.*)/)))).toMatchObject({
      'default-src': "'none'",
      'connect-src': "'none'",
      'script-src': hashOf('script'),
      'style-src': hashOf('style'),
    })
    expect(html).not.toMatch(/ style=| on\w+=/)
  })

  it('gives the same bytes wherever the project is', { tags: 'long' }, async () => {
    for (const paths of [['./skills'], ['.']]) {
      const project = { ...PROJECT, 'agent-apps.config.json': JSON.stringify({ paths }) }
      const [one, other] = [await written(makeTree(project)), await written(makeTree(project))]
      expect(one.html).toBe(other.html)
    }
  })

  it('tells nothing of the machine: no environment, no path, none of the user’s own skills', async () => {
    const config = JSON.stringify({ paths: ['./skills'], env: ['HOME', 'AGENT_APPS_SECRET'] })
    const root = makeTree({
      ...PROJECT,
      'agent-apps.config.json': config,
      'skills/told.skill.md': skill(
        'told',
        'It is ${env.AGENT_APPS_SECRET}.\n',
        'metadata: { role: context }\n',
      ),
    })
    process.env.AGENT_APPS_SECRET = 'a secret of the environment'
    try {
      const page = await written(root)
      expect(page.read<PagePrompt>('prompt').tools.find(({ name }) => name === 'told')?.inPrompt).toBe(
        'It is ${env.AGENT_APPS_SECRET}.\n',
      )
      for (const [name, bytes] of page.blocks)
        if (name !== 'licences')
          expect(String(bytes)).not.toMatch(new RegExp(`a secret of|${root}|${homedir()}/`))
    } finally {
      delete process.env.AGENT_APPS_SECRET
    }
  })

  it('leaves texts out with --no-content', async () => {
    const context = skill('told', 'See the guide.\n', 'metadata: { role: context }\n')
    const root = makeTree({ ...PROJECT, 'skills/told.skill.md': context })
    const page = await written(root, '--no-content')
    expect(page.rows.hasContent).toBe(false)
    for (const [name, bytes] of page.blocks)
      if (name !== 'licences') expect(String(bytes)).not.toContain('the guide')
  })

  it('reads no file outside of the project, even where a skill leads to one', async () => {
    const root = makeTree(PROJECT)
    const outside = makeTree({ 'secret/SKILL.md': 'a secret: [\n' })
    mkdirSync(join(root, 'skills/stolen'))
    symlinkSync(join(outside, 'secret/SKILL.md'), join(root, 'skills/stolen/SKILL.md'))
    const page = await written(root)
    for (const [, bytes] of page.blocks) expect(String(bytes)).not.toContain('a secret')
  })

  it('refuses to write over a directory', async () => {
    const root = makeTree(PROJECT)
    const { status, stderr } = await agentApps(root, ['explore', '--out', 'skills'])
    expect(status).toBe(2)
    expect(stderr).toContain('The page cannot be written: EISDIR')
  })

  it('tells of a project without skills, which the page shows too', async () => {
    const root = makeTree({ 'agent-apps.config.json': '{ "paths": ["./skills"] }\n' })
    mkdirSync(join(root, 'skills'))
    writeFileSync(join(root, 'skills/readme.txt'), '')
    expect((await written(root)).rows.rows).toEqual([])
  })
})
