import { basename, dirname, join } from 'node:path'
import { pathEntryDir } from 'agent-apps'
import { check } from 'agent-apps/compiler'
import { validate } from 'skills-ref'
import { describe, expect, it } from 'vitest'
import { oneIn } from '../support/long.js'
import { layOut, samples } from '../support/sample.js'
import { makeTree } from '../support/tree.js'

/**
 * Where our verdict differs from that of the npm package `skills-ref`, and why. That package is a port of the
 * specification's own validator, which reads stricter YAML (`strictyaml`) than the port's js-yaml.
 */
const STRICT = 'strictyaml refuses flow collections, anchors and aliases; js-yaml reads them'
const LINK = 'a linked skill belongs to its real folder, which is what its name is compared with'
const REFUSED = 'a key that could reach a prototype, or merges, does not load with us'
const TEXT = 'the port takes `String(value)`, so that nothing is "null" and a list is a text'
const DIFFERENT: Record<string, string> = {
  '1-read/allowed-tools/skills/empty/SKILL.md': STRICT,
  '1-read/allowed-tools/skills/list/SKILL.md': STRICT,
  '1-read/allowed-tools/skills/mapping/SKILL.md': 'the port does not look at the type of allowed-tools',
  '1-read/allowed-tools/skills/mixed/SKILL.md': STRICT,
  '1-read/description-length/skills/astral/SKILL.md':
    'the port counts UTF-16 units, the specification characters',
  '1-read/description-missing/skills/empty/SKILL.md': TEXT,
  '1-read/description-of-another-type/skills/list/SKILL.md': TEXT,
  '1-read/description-of-another-type/skills/mapping/SKILL.md': TEXT,
  '1-read/links-followed/skills/linked/SKILL.md': LINK,
  '1-read/links-same-folder-twice/skills/a-first/SKILL.md': LINK,
  '1-read/metadata/skills/full/SKILL.md': STRICT,
  '1-read/metadata/skills/schemas/SKILL.md': STRICT,
  '1-read/metadata/skills/wrong/SKILL.md': STRICT,
  '1-read/tags/skills/list/SKILL.md': STRICT,
  '1-read/tags/skills/wrong/SKILL.md': STRICT,
  '1-read/values/skills/scalars/SKILL.md': STRICT,
  '1-read/yaml-refused/skills/alias/SKILL.md': STRICT,
  '1-read/yaml-refused/skills/anchor-only/SKILL.md': STRICT,
  '1-read/yaml-refused/skills/kind/SKILL.md': REFUSED,
  '1-read/yaml-refused/skills/merge/SKILL.md': REFUSED,
  '1-read/yaml-refused/skills/proto/SKILL.md': REFUSED,
  'cascade/promotions/skills/office/SKILL.md': STRICT,
}

interface Verdict {
  file: string
  ours: boolean
  theirs: boolean
  why: string
}

async function verdicts(cwd: string, paths: string[]): Promise<Verdict[]> {
  const { spec } = await check({ cwd, paths, spec: true })
  return Promise.all(
    spec
      .filter(({ file }) => /^(?:SKILL|skill)\.md$/.test(basename(file)))
      .map(async ({ file, valid, errors }) => {
        const found = await validate(dirname(join(cwd, file)))
        return {
          file,
          ours: valid,
          theirs: found.length === 0,
          why: `ours: ${errors.join(' ')} theirs: ${found.join(' ')}`,
        }
      }),
  )
}

describe('the specification’s verdict', () => {
  it.each(
    oneIn(
      3,
      samples().map(sample => [sample.id, sample] as const),
    ),
  )('of the skills in %s', async (id, sample) => {
    const { cwd, paths } = layOut(sample)
    const differing = (await verdicts(cwd, paths.map(pathEntryDir))).filter(({ file, ours, theirs }) => {
      const known = `${id}/${file}` in DIFFERENT
      return known === (ours === theirs)
    })
    expect(differing).toEqual([])
  })

  it('differs only where it is listed, and every listed one exists', () => {
    const ids = new Set(samples().map(({ id }) => id))
    for (const path of Object.keys(DIFFERENT)) expect(ids).toContain(path.split('/').slice(0, 2).join('/'))
  })

  it('is given for folder skills only, with errors exactly where invalid', async () => {
    const cwd = makeTree({
      'good/SKILL.md': '---\nname: good\ndescription: Good.\n---\n',
      'bad/SKILL.md': '---\nname: Bad\nmore: x\n---\n',
      'single.skill.md': '---\nname: single\ndescription: x\n---\n',
    })
    const { spec } = await check({ cwd, paths: ['.'], spec: true })
    expect(spec.map(({ file, valid, errors }) => [file, valid, errors.length])).toEqual([
      ['bad/SKILL.md', false, 4],
      ['good/SKILL.md', true, 0],
    ])
    expect((await check({ cwd, paths: ['.'] })).spec).toEqual([])
  })
})
