import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CompileResult, compile, verify } from 'agent-apps/compiler'
import { beforeAll, expect, it } from 'vitest'
import { around, code, main, text } from '../support/cascade-project.js'
import { codeSkills } from '../support/code-project.js'
import { oneIn, times } from '../support/long.js'
import { goodSkills, setTimes, skill, type Tree } from '../support/tree.js'

const SEARCH = /^\.agent-apps\/search-[0-9a-f]{32}\.bin$/
const LIST = /^\.agent-apps\/list-[0-9a-f]{32}\.json$/
const COUNT = times(150, 10_000)
const SECTIONS = ['tools', 'details', 'files', 'cascades', 'contents'] as const

const TREE: Tree = {
  ...goodSkills(COUNT),
  'including/SKILL.md': skill('including', '::include[./part.md]\n'),
  'including/part.md': 'A part.\n',
  'nesting/SKILL.md': skill('nesting', '::include[../including/part.md]\n'),
  'base.skill.md': text('base', { wrap: { level: 1 } }),
  'derived.skill.md': text('derived', { $inherit: 'base' }),
  'further.skill.md': text('further', { $inherit: 'derived' }),
  'wrap.skill.js': around('wrap'),
  'below/SKILL.md': main({ $local: { wrap: { level: 1 } } }, 'below'),
  'below/under.skill.md': text('under'),
  'below/deep/deeper.skill.md': text('deeper'),
  'stamp.skill.js': code('stamp', { static: true, tags: ['meta-directive-inline'] }, "return 'one'"),
  'stamped.skill.md': text('stamped', {}, 'Here is :stamp[a].\n'),
  'importing.skill.js': `import { word } from './lib/word.js'\n${code('importing', {}, 'return word')}`,
  'lib/word.js': "export const word = 'one'\n",
}
/** Contents with directives. Where metadata changes, what is a directive may: these are all searched anew. */
const DIRECTIVES = 3
const FILES = Object.keys(TREE).filter(path => /(?:^|\/)SKILL\.md$|\.skill\.(?:md|js)$/.test(path)).length

let dir: string
beforeAll(async () => {
  ;({ dir } = codeSkills(TREE))
  setTimes(dir)
  await compile({ cwd: dir, paths: ['.'] })
})

/** All records of the index, by section and key, each with the shard that it is in. */
function records(): Map<string, { line: string; shard: string }> {
  const all = new Map<string, { line: string; shard: string }>()
  for (const shard of readdirSync(join(dir, '.agent-apps')).filter(name => name.startsWith('index-'))) {
    const parsed = JSON.parse(readFileSync(join(dir, '.agent-apps', shard), 'utf8')) as Record<string, object>
    for (const section of SECTIONS) {
      for (const [key, record] of Object.entries(parsed[section] ?? {}))
        all.set(`${section} ${key}`, { line: JSON.stringify(record), shard: `.agent-apps/${shard}` })
    }
  }
  return all
}

async function afterChange(
  path: string,
  change: (text: string) => string,
): Promise<{
  result: CompileResult
  changed: string[]
  shards: Set<string>
}> {
  const before = records()
  const file = join(dir, path)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
  const result = await compile({ cwd: dir, paths: ['.'] })
  const after = records()
  const keys = [...new Set([...before.keys(), ...after.keys()])]
  const changed = keys.filter(key => before.get(key)?.line !== after.get(key)?.line)
  // The shards of changed records, and those that records are gone from.
  const kept = new Set([...before.values()].map(({ shard }) => shard))
  const shards = new Set([...after.values()].map(({ shard }) => shard).filter(shard => !kept.has(shard)))
  return { result, changed: changed.sort(), shards }
}

const kinds: {
  kind: string
  file: string
  change: (text: string) => string
  /** Skill files read anew, contents compiled anew, modules written, and the records that are others. */
  read: number
  rendered: number
  modules: number
  changed: string[]
  /** True where the change is one that a list shows. */
  isListed: boolean
  /** True where the change is one of words. */
  isSearched: boolean
}[] = [
  {
    kind: 'a skill that nothing depends on',
    file: 'good-7/SKILL.md',
    change: was => `${was}More.\n`,
    read: 1,
    rendered: 0,
    modules: 0,
    isListed: true,
    isSearched: true,
    changed: ['files good-7/SKILL.md', 'tools good-7'],
  },
  {
    kind: 'a file that contents include',
    file: 'including/part.md',
    change: () => 'Another part.\n',
    // It is a resource of the one skill.
    read: 1,
    rendered: 2,
    modules: 0,
    isListed: false,
    isSearched: false,
    changed: ['contents including', 'contents nesting', 'details including', 'files including/part.md'],
  },
  {
    kind: 'a base',
    file: 'base.skill.md',
    change: was => was.replace('"level":1', '"level":2'),
    read: 1,
    rendered: DIRECTIVES,
    modules: 0,
    isListed: true,
    isSearched: false,
    changed: [
      'cascades base',
      'cascades derived',
      'cascades further',
      'details base',
      'files base.skill.md',
      'tools base',
    ],
  },
  {
    kind: 'a main skill',
    file: 'below/SKILL.md',
    change: was => was.replace('"level":1', '"level":2'),
    read: 1,
    rendered: DIRECTIVES,
    modules: 0,
    isListed: true,
    isSearched: false,
    changed: ['cascades deeper', 'cascades under', 'details below', 'files below/SKILL.md', 'tools below'],
  },
  {
    kind: 'a directive',
    file: 'stamp.skill.js',
    change: was => was.replace("'one'", "'two'"),
    read: 1,
    rendered: 1,
    modules: 2,
    isListed: false,
    isSearched: false,
    changed: ['contents stamped', 'files stamp.skill.js', 'tools stamp'],
  },
  {
    kind: 'what a module imports',
    file: 'lib/word.js',
    change: was => was.replace("'one'", "'two'"),
    read: 0,
    rendered: 0,
    modules: 2,
    isListed: false,
    isSearched: false,
    changed: ['files lib/word.js', 'tools importing'],
  },
]

it.each(oneIn(3, kinds))(
  `of ${COUNT}, $kind: what depends on it is compiled anew, and nothing else`,
  async one => {
    const { result, changed, shards } = await afterChange(one.file, one.change)
    // A made file is named by its content: the record of the old one goes, and that of the new one comes.
    expect(shards.size).toBeLessThanOrEqual(changed.length)
    const made = changed.filter(record => record.startsWith('files .agent-apps/'))
    expect(made).toHaveLength(2 * one.modules)
    expect(changed.filter(record => !made.includes(record))).toEqual(one.changed)
    const { files, reused, rendered, written } = result
    expect({ files: files.length, read: files.length - reused, rendered }).toEqual({
      files: FILES,
      read: one.read,
      rendered: one.rendered,
    })
    const modules = written.filter(file => /\.mjs(?:\.map)?$/.test(file))
    expect(modules).toHaveLength(one.modules)
    const others = written.filter(file => !modules.includes(file))
    const apart = (file: string): boolean => LIST.test(file) || SEARCH.test(file)
    expect(others.filter(file => !apart(file)).sort()).toEqual([...shards, '.agent-apps.json'].sort())
    // A change that no list shows leaves the list as it is.
    expect(others.filter(file => LIST.test(file))).toHaveLength(one.isListed ? 1 : 0)
    expect(others.filter(file => SEARCH.test(file))).toHaveLength(one.isSearched ? 1 : 0)
    expect((await verify({ cwd: dir, paths: ['.'] })).deviations).toEqual([])
    const again = await compile({ cwd: dir, paths: ['.'] })
    expect([again.written, again.reused, again.rendered]).toEqual([[], FILES, 0])
  },
)
