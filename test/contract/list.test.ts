import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile, verify } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { INDEX_FILE } from '../../src/index/index-format.js'
import { encodeList, type ListColumns, pathAt } from '../../src/index/list-columns.js'
import { IndexRefused } from '../../src/index/read-index.js'
import { listIn } from '../../src/index/read-list.js'
import { codeSkills } from '../support/code-project.js'
import { goodSkills, skill } from '../support/tree.js'

/** One of everything that a row can say, among enough skills for an index of shards. */
const TREE = {
  ...goodSkills(130),
  'SKILL.md': skill('top', 'Top.\n', 'metadata: { role: main }\n'),
  'deep/er/inner/SKILL.md': skill(
    'inner',
    'Inner.\n',
    'license: MIT\nmetadata: { tags: [Quality], author: me }\n',
  ),
  'several.skill.md': `${skill('first', 'One.\n')}\n${skill('second', 'Two.\n', 'metadata: { role: main }\n')}`,
  'broken/SKILL.md': '---\nname: broken\n',
  'main-broken.skill.md': '---\nname: main-broken\nmetadata: { role: main }\n  wrong: x\n---\n',
  'around.skill.js':
    "export const frontmatter = { name: 'around', metadata: { role: 'middleware' } }\nexport default next => next()\n",
  'other.skill.md': '---\nname: other-name\ntitle: x\n---\nNo description.\n',
}

let dir: string
beforeAll(async () => {
  ;({ dir } = codeSkills(TREE))
  await compile({ cwd: dir, paths: ['.'] })
})

function header(): { list: string } {
  return JSON.parse(readFileSync(join(dir, INDEX_FILE), 'utf8'))
}

function listPath(): string {
  return join(dir, `.agent-apps/list-${header().list}.json`)
}

function written(): ListColumns {
  return JSON.parse(readFileSync(listPath(), 'utf8'))
}

describe('the list of an index', () => {
  it('has a row for each tool', () => {
    const columns = listIn(readFileSync(listPath(), 'utf8'))
    const row = (name: string) => {
      const number = columns.names.indexOf(name)
      return {
        kind: columns.kinds[number],
        role: columns.roles[number],
        path: pathAt(columns, number),
        description: columns.descriptions[number],
        more: columns.more[number],
      }
    }
    expect(columns.names).toHaveLength(138)
    expect(row('top')).toEqual({
      kind: 'f',
      role: 'm',
      path: 'SKILL.md',
      description: 'What top does.',
      more: null,
    })
    expect(row('inner')).toMatchObject({
      path: 'deep/er/inner/SKILL.md',
      more: { frontmatter: { license: 'MIT', tags: ['quality'], metadata: { author: 'me' } } },
    })
    expect(row('first')).toMatchObject({
      kind: 'i',
      path: 'several.skill.md',
      more: { fragment: 'first', end: expect.any(Number) },
    })
    expect(row('second')).toMatchObject({ role: 'm', more: { fragment: 'second' } })
    expect(row('around')).toMatchObject({ kind: 'c', role: 'w', path: 'around.skill.js', description: null })
    expect(row('broken')).toMatchObject({
      kind: '!',
      path: 'broken/SKILL.md',
      more: { broken: { fatal: true } },
    })
    expect(columns.mains).toEqual([
      ['SKILL.md', 'top'],
      ['main-broken.skill.md', null],
      ['several.skill.md', 'second'],
    ])
  })

  it('is there only beside shards, and an index without one is written anew', async () => {
    const before = header()
    const { dir: small } = codeSkills(goodSkills(3))
    await compile({ cwd: small, paths: ['.'] })
    expect(readdirSync(join(small, '.agent-apps')).filter(name => name.startsWith('list-'))).toEqual([])
    rmSync(listPath())
    await compile({ cwd: dir, paths: ['.'] })
    expect([header(), written().names.length]).toEqual([before, 138])
  })

  it('is compared with the shards by `verify`', async () => {
    const text = readFileSync(join(dir, INDEX_FILE), 'utf8')
    const { list } = header()
    const deviations = async () => (await verify({ cwd: dir, paths: ['.'] })).deviations
    expect(await deviations()).toEqual([])
    const other = JSON.stringify({
      ...written(),
      descriptions: written().descriptions.map(() => 'Does all.'),
    })
    const digest = createHash('sha256').update(other).digest('hex').slice(0, 32)
    writeFileSync(join(dir, `.agent-apps/list-${digest}.json`), other)
    writeFileSync(join(dir, INDEX_FILE), text.replace(list, digest))
    expect(await deviations()).toMatchObject([
      { file: `.agent-apps/list-${digest}.json`, reason: 'does not list what the shards contain' },
    ])
    rmSync(join(dir, `.agent-apps/list-${digest}.json`))
    expect(await deviations()).toMatchObject([
      { file: `.agent-apps/list-${digest}.json`, reason: 'is not there' },
    ])
    writeFileSync(join(dir, INDEX_FILE), text)
    expect(await deviations()).toEqual([])
  })

  const others: Record<string, (columns: ListColumns) => object> = {
    'no list': () => [],
    'a missing column': ({ names, ...columns }) => columns,
    'columns of unequal length': columns => ({ ...columns, sizes: columns.sizes.slice(1) }),
    'too few letters': columns => ({ ...columns, kinds: columns.kinds.slice(1) }),
    'names that are not sorted': columns => ({ ...columns, names: columns.names.toReversed() }),
    'a row twice': columns => ({ ...columns, names: [...columns.names.slice(0, -1), columns.names.at(-2)] }),
    'an invalid name': columns => ({ ...columns, names: ['-', ...columns.names.slice(1)] }),
    'a name that reaches a prototype': columns => ({
      ...columns,
      names: ['__proto__', ...columns.names.slice(1)],
    }),
    'a path that leads out of the directory': changed('good-3', 'files', '../good-3/SKILL.md'),
    'an absolute path': changed('good-3', 'files', '/good-3/SKILL.md'),
    'a file that is no skill': changed('good-3', 'files', 'secret.txt'),
    'a file of another kind': changed('good-3', 'files', 'good-3.skill.md'),
    'a folder that there is not': changed('good-3', 'files', 7),
    'a folder that is no number': changed('good-3', 'files', 0.5),
    'a folder that leads out': columns => ({
      ...columns,
      folders: columns.folders.map(folder => `${folder}../`),
    }),
    'a folder without its slash': columns => ({
      ...columns,
      folders: columns.folders.map(folder => `${folder}a`),
    }),
    'code that is named by a folder': changed('around', 'files', 0),
    'a broken tool of a file outside': changed('broken', 'files', '../broken/SKILL.md'),
    'a broken tool without a diagnostic': changed('broken', 'more', null),
    'a broken tool with content': changed('broken', 'content', 1),
    'a diagnostic about a file outside': changed('broken', 'more', { broken: { file: '../x', line: 1 } }),
    'a sound tool with a diagnostic': columns =>
      changed('good-3', 'more', columns.more[columns.names.indexOf('broken')])(columns),
    'code with content': changed('around', 'content', 1),
    'Markdown without content': changed('good-3', 'content', null),
    'content that begins after the file': changed('good-3', 'content', 1_000),
    'content that begins before the file': changed('good-3', 'content', -1),
    'content that ends after the file': changed('good-3', 'more', { end: 1_000 }),
    'content that ends before it begins': changed('good-3', 'more', { end: 1 }),
    'content at no number': changed('good-3', 'content', '1'),
    'a size past every limit': changed('good-3', 'sizes', 2 ** 30),
    'a description that is no text': changed('good-3', 'descriptions', 3),
    'facts that are no object': changed('good-3', 'more', 'facts'),
    'a fragment that is no text': changed('good-3', 'more', { fragment: 1 }),
    'tags that are no list': changed('good-3', 'more', { frontmatter: { tags: 'a' } }),
    'metadata that is no object': changed('good-3', 'more', { frontmatter: { metadata: 'a' } }),
    'params that are no schema': changed('good-3', 'more', { frontmatter: { params: true } }),
    'a role that there is not': columns => ({ ...columns, roles: columns.roles.replace('c', 'x') }),
    'a kind that there is not': columns => ({ ...columns, kinds: columns.kinds.replace('f', 'x') }),
    'a main skill outside': columns => ({ ...columns, mains: [['../SKILL.md', 'top']] }),
    'a main skill of no name': columns => ({ ...columns, mains: [['SKILL.md', 'Top']] }),
    'main skills that are not sorted': columns => ({ ...columns, mains: columns.mains.toReversed() }),
  }
  /** The reasons of those that concern another row, or all of them. */
  const reasons: Record<string, string> = {
    'no list': 'its list is invalid',
    'a missing column': 'its list is invalid',
    'columns of unequal length': 'its list is invalid',
    'too few letters': 'its list is invalid',
    'names that are not sorted': 'the names of its list are not ascending',
    'a row twice': 'the names of its list are not ascending',
    'an invalid name': 'the row of "-" in its list is invalid',
    'a name that reaches a prototype': 'the row of "__proto__" in its list is invalid',
    'a folder that leads out': 'its list is invalid',
    'a folder without its slash': 'its list is invalid',
    'code that is named by a folder': 'the row of "around" in its list is invalid',
    'a broken tool of a file outside': 'the row of "broken" in its list is invalid',
    'a broken tool without a diagnostic': 'the row of "broken" in its list is invalid',
    'a broken tool with content': 'the row of "broken" in its list is invalid',
    'a diagnostic about a file outside': 'the row of "broken" in its list is invalid',
    'code with content': 'the row of "around" in its list is invalid',
    'a description that is no text': 'its list is invalid',
    'a role that there is not': 'the row of "good-0" in its list is invalid',
    'a kind that there is not': 'the row of "good-0" in its list is invalid',
    'a main skill outside': 'its list is invalid',
    'a main skill of no name': 'its list is invalid',
    'main skills that are not sorted': 'the main skills of its list are not ascending',
  }
  it.each(Object.entries(others))('is refused with %s', (what, other) => {
    const columns = written()
    expect(() => listIn(JSON.stringify(columns))).not.toThrow()
    const reason = reasons[what] ?? 'the row of "good-3" in its list is invalid'
    expect(() => listIn(JSON.stringify(other(columns)))).toThrow(new IndexRefused(reason))
  })

  it('is refused where it is cut off', () => {
    const text = readFileSync(listPath(), 'utf8')
    for (let end = 0; end < text.length - 2; end += 97)
      expect(() => listIn(text.slice(0, end))).toThrow('cut off')
  })

  it('is written from kept rows as from all records', () => {
    const columns = written()
    const isKept = () => true
    expect(encodeList([], () => [], { columns, isKept })).toBe(readFileSync(listPath(), 'utf8'))
  })
})

/** Changes what one row says in one column. */
function changed(
  name: string,
  column: 'files' | 'content' | 'sizes' | 'descriptions' | 'more',
  value: unknown,
) {
  return (columns: ListColumns): object => {
    const row = columns.names.indexOf(name)
    return {
      ...columns,
      [column]: (columns[column] as unknown[]).map((item, at) => (at === row ? value : item)),
    }
  }
}
