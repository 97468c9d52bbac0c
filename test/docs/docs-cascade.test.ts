import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { oneIn } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { layOut, SAMPLES } from '../support/sample.js'

const FOLDER = join(SAMPLES, 'cascade')
const CASES = readdirSync(FOLDER)

interface Section {
  /** The heading as an anchor, which is the name of its sample as well. */
  name: string
  /** Its examples by path: files, and of `path` or `path#skill` what stands under `metadata`. */
  files: Map<string, string>
  /** What it shows of a terminal. */
  console: string
}

/** The sections of both pages about the cascade. */
const SECTIONS: Section[] = ['docs/cascade.md', 'docs/cascade-order.md']
  .flatMap(page => readFileSync(join(ROOT, page), 'utf8').split(/^## /m).slice(1))
  .map(text => ({
    name: text.slice(0, text.indexOf('\n')).toLowerCase().replaceAll(',', '').replaceAll(' ', '-'),
    files: new Map(
      [
        ...text.matchAll(/^```(?:md|js) (\S+)\n([\s\S]*?)^```$/gm),
        ...blocksOf(text, 'yaml').flatMap(block => [...block.matchAll(/^# (\S+)\n((?:[^#\n].*\n)*)/gm)]),
      ].map(([, path = '', shown = '']) => [path, shown]),
    ),
    console: blocksOf(text, 'console').join(''),
  }))

/**
 * Each section of the pages that has examples has a sample of its name in `samples/cascade/`: the skills that it shows, and
 * in `explain.txt` commands with what they print. `UPDATE=1` writes that file anew.
 */
describe('docs/cascade.md and docs/cascade-order.md', () => {
  it('shows each sample', () => {
    const shown = SECTIONS.filter(({ files }) => files.size > 0)
    expect(shown.map(({ name }) => name).sort()).toEqual([...CASES].sort())
  })

  it.each(oneIn(3, CASES))('shows the skills of %s', name => {
    for (const [path, text] of sectionOf(name).files) {
      const [file = '', skill] = path.split('#')
      const source = readFileSync(join(FOLDER, name, file), 'utf8')
      const isWhole = text === source
      expect(isWhole ? source : metadataOf(source, skill), `${name}: ${path}`).toBe(text)
    }
  })

  it.each(oneIn(3, CASES))('leaves out no skill of %s', name => {
    const shown = [...sectionOf(name).files.keys()].map(path => path.replace(/#.*/, ''))
    expect([...new Set(shown)].sort()).toEqual(skillFiles(join(FOLDER, name)))
  })

  it.each(oneIn(6, CASES))('shows what explain prints for %s, compiled or not', async name => {
    const file = join(FOLDER, name, 'explain.txt')
    const { cwd, paths } = layOut({ id: `cascade/${name}`, folder: join(FOLDER, name) })
    const commands = [...sectionOf(name).console.matchAll(/^\$ agent-apps (.*)$/gm)].map(
      ([, one = '']) => one,
    )
    const fromDisk = await transcript(commands, cwd)
    if (process.env.UPDATE) writeFileSync(file, fromDisk)
    expect(existsSync(file), 'no explain.txt: write it with UPDATE=1, and read it').toBe(true)
    expect(fromDisk).toBe(readFileSync(file, 'utf8'))
    expect(sectionOf(name).console).toBe(fromDisk)
    await compile({ cwd, paths })
    expect(await transcript(commands, cwd)).toBe(fromDisk)
  })

  it('lists every annotation', () => {
    const table = readFileSync(join(ROOT, 'docs/cascade.md'), 'utf8').split('## Annotations')[1] ?? ''
    const source = readFileSync(join(ROOT, 'src/cascade/annotations.ts'), 'utf8')
    const known = [...source.matchAll(/^ {2}\['(\$\w+)', /gm)].map(([, key]) => key)
    const listed = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(
      ([, cell = '']) => cell.match(/\$\w+/g) ?? [],
    )
    expect(listed.sort()).toEqual(known.sort())
  })
})

function sectionOf(name: string): Section {
  const section = SECTIONS.find(one => one.name === name)
  if (section === undefined) throw new Error(`no page about the cascade has a section ${name}`)
  return section
}

function blocksOf(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  )
}

/** What stands under `metadata` of a skill in a file; of the only one where none is named. */
function metadataOf(source: string, skill: string | undefined): string | undefined {
  const blocks = [
    ...source.matchAll(/^---\nname: (\S+)\ndescription: .*\n(?:metadata:\n((?: {2}.*\n)+))?---$/gm),
  ]
  const [, , metadata = ''] =
    (skill === undefined && blocks.length === 1 ? blocks[0] : blocks.find(([, name]) => name === skill)) ?? []
  return metadata.replaceAll(/^ {2}/gm, '')
}

function skillFiles(folder: string): string[] {
  return readdirSync(join(folder, 'skills'), { recursive: true, encoding: 'utf8' })
    .map(path => `skills/${path.replaceAll('\\', '/')}`)
    .filter(path => /\.(md|js)$/.test(path))
    .sort()
}

/** Commands, each with what it prints. */
async function transcript(commands: readonly string[], cwd: string): Promise<string> {
  const printed: string[] = []
  for (const command of commands) {
    const { stdout } = await agentApps(cwd, [...command.split(' '), '--no-color'])
    printed.push(`$ agent-apps ${command}\n${stdout}`)
  }
  return printed.join('')
}
