import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, parsePatterns } from 'agent-apps'
import { type CompileResult, compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { readPlainYaml } from '../../compiler/1-read/frontmatter/plain-yaml.js'
import { parseYaml, readYaml } from '../../compiler/1-read/frontmatter/yaml.js'
import { corpus } from '../support/corpus.js'
import { ownTools } from '../support/own-tools.js'
import { temporary } from '../support/temporary.js'

const SKILLS = 4_215
const LIBRARY = ['limit', 'retry', 'state', 'timeout', 'trace']

const source = corpus()
if (source === null) console.log('corpus: skipped, there is none beside the project and CORPUS names none')

describe.skipIf(source === null)('real skills', () => {
  let cwd = ''
  let paths: string[] = []
  let result: CompileResult

  beforeAll(async () => {
    cwd = temporary()
    execFileSync('cp', ['-a', `${source}/.`, cwd])
    paths = readdirSync(cwd, { withFileTypes: true })
      .filter(item => item.isDirectory() && item.name.includes('__'))
      .map(item => item.name)
      .sort()
    result = await compile({ cwd, paths })
  })

  it('every SKILL.md is accounted for', () => {
    expect(paths).toHaveLength(7)
    const { files, found, shadowed, skipped } = result.counts
    expect(found + shadowed + skipped).toBe(files)
    expect(files).toBe(SKILLS)
    expect(new Set(result.files.map(({ file }) => file)).size).toBe(SKILLS)
    expect(found).toBeGreaterThan(3_000)
  })

  it('every found skill resolves, and its content is the exact rest of its file', async () => {
    const runtime = createRuntime({ cwd, paths, freshness: 'trust' })
    const wrong: string[] = []
    for (const { file, outcome, tools } of result.files) {
      if (outcome !== 'found') continue
      const expected = restOf(readFileSync(join(cwd, file)))
      for (const name of tools) {
        const tool = await runtime.findTool(name)
        const own = tool && join(tool.origin.entry, tool.origin.file) === join(cwd, file)
        if (!own || !Buffer.from((await tool.content?.()) ?? '').equals(expected))
          wrong.push(`${name} of ${file}`)
      }
    }
    expect(wrong).toEqual([])
    expect(runtime.stats()).toMatchObject({ parser: 'unused', via: { disk: 0, index: result.counts.found } })
    expect(await ownTools(runtime)).toHaveLength(result.counts.found)
  })

  it('most frontmatter is read without a parser, and is what the parser makes of it', () => {
    let [all, plain] = [0, 0]
    for (const { file } of result.files) {
      const yaml = /^---[ \t]*\r?\n([\s\S]*?)^---/m.exec(readFileSync(join(cwd, file), 'utf8'))?.[1] ?? ''
      all++
      if (readPlainYaml(yaml) === null) continue
      plain++
      // The order of keys counts as well.
      expect(JSON.stringify([file, readYaml(yaml)])).toBe(JSON.stringify([file, parseYaml(yaml)]))
    }
    console.log(`frontmatter read without a parser: ${plain} of ${all}`)
    expect(plain).toBeGreaterThan(all * 0.9)
  })

  it('every skipped skill has a fault that says so, at a line that the file has', () => {
    const wrong = result.files
      .filter(({ outcome }) => outcome === 'skipped')
      .filter(({ file }) => {
        const lines = readFileSync(join(cwd, file), 'utf8').split('\n')
        const faults = result.diagnostics.filter(message => message.file === file && message.fatal)
        return (
          faults.length === 0 ||
          !faults.every(
            ({ line = 0, column = 0 }) =>
              line >= 1 &&
              line <= lines.length &&
              column >= 1 &&
              column <= (lines[line - 1] ?? '').length + 1,
          )
        )
      })
    expect(wrong).toEqual([])
  })

  it('none has a chain but where a key names the library’s middleware, though skills have such names', async () => {
    const runtime = createRuntime({ cwd, paths, freshness: 'trust' })
    const tools = await ownTools(runtime)
    const names = new Set(tools.map(({ name }) => name))
    const keys = new Map<string, number>()
    const chained: string[] = []
    for (const { name, frontmatter } of tools) {
      for (const key of Object.keys(frontmatter.metadata)) keys.set(key, (keys.get(key) ?? 0) + 1)
      const { chain } = await runtime.explain(name)
      chained.push(...chain.map(step => `${name}: ${step.name}`))
    }
    const named = [...keys].filter(([key]) => names.has(key))
    console.log(
      `keys of metadata that skills are named like: ${JSON.stringify(named)}; chains: ${JSON.stringify(chained)}`,
    )
    expect(tools.length).toBeGreaterThan(3_000)
    expect(keys.get('version')).toBeGreaterThan(100)
    expect(chained.filter(one => !LIBRARY.includes(one.split(': ')[1] ?? ''))).toEqual([])
    expect(chained).toHaveLength(LIBRARY.reduce((sum, key) => sum + (keys.get(key) ?? 0), 0))
  })

  it('every pattern of allowed-tools can be read', () => {
    const lists = result.files.flatMap(({ file }) => allowedTools(readFileSync(join(cwd, file), 'utf8')))
    expect(lists.length).toBeGreaterThanOrEqual(78)
    const rules = lists.flatMap(parsePatterns)
    expect(rules.length).toBeGreaterThan(300)
    expect(rules.filter(({ problem }) => problem)).toEqual([])
    expect(result.diagnostics.filter(({ ruleId }) => ruleId === 'pattern-invalid')).toEqual([])
    // Nobody's Read or Bash is taken for a slip of the pen.
    expect(result.diagnostics.filter(({ ruleId }) => ruleId === 'pattern-unmatched')).toEqual([])
  })

  it('a second compile writes nothing, also when every file was touched', async () => {
    const unread = result.diagnostics.filter(
      ({ ruleId }) => ruleId === 'skill-is-resource' || ruleId === 'skill-in-dot-directory',
    ).length
    const again = await compile({ cwd, paths })
    expect([again.written, again.reused, again.counts]).toEqual([[], SKILLS - unread, result.counts])
    for (const { file } of result.files) utimesSync(join(cwd, file), new Date(), new Date())
    const touched = await compile({ cwd, paths })
    expect([touched.written, touched.reused, touched.counts]).toEqual([[], SKILLS - unread, result.counts])
  })

  it('reading without an index gives the same', async () => {
    const [first = ''] = paths
    const compiled = await ownTools(createRuntime({ cwd, paths: [first], freshness: 'trust' }))
    const dir = temporary()
    execFileSync('cp', ['-a', `${source}/${first}`, dir])
    const fromDisk = await ownTools(createRuntime({ cwd: dir, paths: [first], freshness: 'trust' }))
    expect(fromDisk.map(({ name, frontmatter, origin: { file } }) => ({ name, frontmatter, file }))).toEqual(
      compiled.map(({ name, frontmatter, origin: { file } }) => ({ name, frontmatter, file })),
    )
    expect(new Set(fromDisk.map(({ origin }) => origin.via))).toEqual(new Set(['disk']))
  })
})

/** What stands in `allowed-tools`, a list with an item per line joined. Made without the package. */
function allowedTools(text: string): string[] {
  const [block = ''] = /^---\s*\n[\s\S]*?\n---/.exec(text) ?? []
  const [field, line = '', items = ''] = /^allowed-tools:[ \t]*(.*)\n((?:[ \t]+- .*\n)*)/m.exec(block) ?? []
  return field === undefined ? [] : [`${line} ${items.replace(/^[ \t]+- /gm, '')}`]
}

/** What follows the line of three hyphens that ends the block at a file's start; all of a file that has none. Made without the package. */
function restOf(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1')
  const opening = /^(?:\xEF\xBB\xBF)?---[ \t]*\r?\n/.exec(text)
  if (opening === null) return bytes
  const closing = /^---[ \t]*\r?(?:\n|$(?![\s\S]))/gm
  closing.lastIndex = opening[0].length
  const end = closing.exec(text)
  return end === null ? bytes : bytes.subarray(closing.lastIndex)
}
