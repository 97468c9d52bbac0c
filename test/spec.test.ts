import { basename, dirname, join } from 'node:path'
import { check } from 'agent-apps/compiler'
import { validate } from 'skills-ref'
import { describe, expect, it } from 'vitest'
import { layOut, samples } from './support/sample.js'
import { makeTree } from './support/tree.js'

/**
 * Where our verdict differs from that of the npm package `skills-ref`, and why. That package is a port of the
 * specification's own validator, which reads stricter YAML (`strictyaml`) than the port's js-yaml.
 */
const DIFFERENT: Record<string, string> = {}

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
        return { file, ours: valid, theirs: found.length === 0, why: `ours: ${errors.join(' ')} theirs: ${found.join(' ')}` }
      }),
  )
}

describe('the specification’s verdict', () => {
  it.each(samples().map(sample => [sample.id, sample] as const))('of the skills in %s', async (id, sample) => {
    const { cwd, paths } = layOut(sample)
    const differing = (await verdicts(cwd, paths)).filter(({ file, ours, theirs }) => {
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
