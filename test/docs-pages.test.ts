import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRuntime } from 'agent-apps'
import { check, loadConfig } from 'agent-apps/compiler'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const PAGES = readdirSync(join(PROJECT, 'docs')).map(name => `docs/${name}`)

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agent-apps-pages-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('the pages in docs/', () => {
  it.each(['README.md', ...PAGES])('%s links to what is there', page => {
    const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    for (const link of links.filter(link => !/^https?:/.test(link) && !isInExample(page, link))) {
      const [path = '', anchor] = link.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      expect(existsSync(join(PROJECT, file)), `${page}: ${link}`).toBe(true)
      if (anchor !== undefined) expect(anchors(file), `${page}: ${link}`).toContain(anchor)
    }
  })

  it.each(['docs/architecture.md', 'docs/index-format.md'])('%s names files that there are', page => {
    const paths = [...read(page).matchAll(/`((?:src|compiler|runtime|cli|docs|schema)\/[\w./-]+)`/g)]
    for (const [, path = ''] of paths) expect(existsSync(join(PROJECT, path)), `${page}: ${path}`).toBe(true)
  })
})

describe('docs/skills.md', () => {
  it('tells the truth about names', async () => {
    const rows = [
      ...read('docs/skills.md').matchAll(
        /^\| (?:`name: (.*)`|none) \| `(.*)` \| (?:`(.*?)`|nothing)(.*) \|$/gm,
      ),
    ]
    expect(rows).toHaveLength(5)
    for (const [, name, folder = '', resolved, rest = ''] of rows) {
      const dir = mkdtempSync(join(root, 'row-'))
      const line = name === undefined ? '' : `name: ${name}\n`
      write(join(dir, folder, 'SKILL.md'), `---\n${line}description: Reviews.\n---\n`)
      const { files, diagnostics } = await check({ cwd: dir, paths: ['.'] })
      expect(files[0]?.tools).toEqual(resolved === undefined ? [] : [resolved])
      expect(diagnostics.map(({ ruleId }) => ruleId)).toEqual(/\[(.*)\]/.exec(rest)?.slice(1) ?? [])
    }
  })

  it('has examples that are skills without a fault', async () => {
    for (const { path, text } of examples('docs/skills.md', 'md')) write(join(root, path), text)
    const { counts, diagnostics } = await check({ cwd: root, paths: ['.'] })
    expect({ ...counts, faults: diagnostics.length }).toMatchObject({ found: 2, skipped: 0, faults: 0 })
    const runtime = createRuntime({ paths: ['.'], cwd: root })
    expect((await runtime.findTool('./writing.skill.md'))?.name).toBe('outline')
    expect(await (await runtime.findTool('./writing.skill.md#shorten'))?.content?.()).toBe(
      'Leave out what the reader knows.\n',
    )
  })
})

describe('docs/resolving.md', () => {
  it('tells the truth about references', async () => {
    write(join(root, 'skills/review/SKILL.md'), '---\nname: review\ndescription: Ours.\n---\n')
    write(join(root, 'global/review/SKILL.md'), '---\nname: review\ndescription: Theirs.\n---\n')
    write(join(root, 'tools/count.skill.md'), '---\nname: count\ndescription: Counts.\n---\n')
    const paths = ['skills', { dir: 'global', layer: 'global' as const, external: true }]
    const { findTool } = createRuntime({ paths, cwd: root })
    const described = async (ref: string) => (await findTool(ref))?.frontmatter.description ?? null
    expect(await described('review')).toBe('Ours.')
    expect(await described('./tools/count.skill.md')).toBe('Counts.')
    expect(await described(join(root, 'global/review'))).toBe('Theirs.')
    expect(await described(`file://${root}/global/review/SKILL.md`)).toBe('Theirs.')
    expect(await described('layer://global/review')).toBe('Theirs.')
    for (const nothing of ['', 'count', 'https://example.org/review', './none', './tools'])
      expect([nothing, await described(nothing)]).toEqual([nothing, null])
  })
})

describe('docs/configuration.md', () => {
  it('has examples that are configurations', async () => {
    const blocks = [...examples('docs/configuration.md', 'json'), ...examples('docs/configuration.md', 'ts')]
    expect(blocks.map(({ path }) => path)).toEqual([
      'agent-apps.config.json',
      'package.json',
      'agent-apps.config.ts',
    ])
    for (const { path, text } of blocks) {
      const cwd = mkdtempSync(join(root, 'config-'))
      write(join(cwd, path), text)
      const { file, paths } = await loadConfig({ cwd })
      expect(file).toBe(join(cwd, path))
      expect(paths.filter(entry => typeof entry === 'string')).toEqual([join(cwd, 'skills')])
    }
  })
})

function examples(page: string, language: string): { path: string; text: string }[] {
  const blocks = read(page).matchAll(new RegExp(`^\`\`\`${language} (\\S+)\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))
  return [...blocks].map(([, path = '', text = '']) => ({ path, text }))
}

/** True for a link that is part of an example skill. */
function isInExample(page: string, link: string): boolean {
  return examples(page, 'md').some(({ text }) => text.includes(`](${link})`))
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(file: string): string[] {
  if (statSync(join(PROJECT, file)).isDirectory()) return []
  return [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function read(page: string): string {
  return readFileSync(join(PROJECT, page), 'utf8')
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
