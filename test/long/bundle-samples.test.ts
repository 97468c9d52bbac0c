import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { ask, deployRuntime } from '../support/processes.js'
import { layOut, samples } from '../support/sample.js'
import { temporary } from '../support/temporary.js'

describe('the same answer from an index and from a bundle without its sources', () => {
  interface Answer {
    listed: { name: string; via: string }[]
    library: string[]
    found: Record<string, unknown>
    stats: { via: Record<string, number> }
  }
  const DUMP = fileURLToPath(new URL('../support/dump-tools.mjs', import.meta.url))
  const cases = samples()
  const answers = new Map<string, { index: Answer; bundle: Answer; cwd: string; app: string }>()

  beforeAll(async () => {
    const jobs = []
    for (const sample of cases) {
      const { cwd, paths } = layOut(sample)
      const bundle = join(temporary(), 'agent.mjs')
      const { files } = await compile({ cwd, paths, bundle })
      jobs.push({
        cwd,
        paths,
        bundle,
        freshness: 'trust',
        names: [...new Set(files.flatMap(one => one.tools))],
      })
    }
    const deployed = deployRuntime(DUMP)
    const index = ask<Answer[]>(
      deployed,
      jobs.map(({ bundle: _, ...job }) => job),
    )
    for (const { cwd } of jobs) rmSync(cwd, { recursive: true })
    const bundle = ask<Answer[]>(deployed, jobs)
    for (const [number, { id }] of cases.entries())
      answers.set(id, {
        cwd: jobs[number]?.cwd ?? '',
        app: dirname(deployed),
        index: index[number] as Answer,
        bundle: bundle[number] as Answer,
      })
  })

  it.each(cases.map(({ id }) => id))('%s', id => {
    const { cwd, app, index, bundle } = answers.get(id) as NonNullable<ReturnType<typeof answers.get>>
    /** Where the project lay, and that it was an index, is no part of the answer. */
    const placeless = (answer: unknown): unknown =>
      JSON.parse(
        JSON.stringify(answer)
          .replaceAll(`file://${cwd}/`, 'bundle:///')
          .replaceAll(`${cwd}/`, '/')
          .replaceAll(`${app}/`, '/'),
        (key, value) =>
          key === 'via' ? undefined : key === 'src' && value !== null ? decodeURI(value) : value,
      )
    expect(placeless(bundle.listed)).toEqual(placeless(index.listed))
    expect(placeless(bundle.found)).toEqual(placeless(index.found))
    // A bundle has the tools for agents only if a skill in it names them.
    const left = index.library.filter(name => !bundle.library.includes(name))
    expect([[], ['agent', 'context-manager']]).toContainEqual(left)
    const counted = (index.stats.via.index ?? 0) - left.length
    expect(bundle.stats.via).toMatchObject({ index: 0, disk: 0, bundle: counted })
  })
})
