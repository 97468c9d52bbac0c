import { check } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { alikeTexts, numberTerms } from '../../compiler/check/check-descriptions.js'
import { pick, randomFrom } from '../support/policy-model.js'
import { makeTree, type Tree } from '../support/tree.js'

const skill = (name: string, description: string, more = ''): string =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\nDo ${name}.\n`

const DEPLOY = 'Deploys the website to production servers, and purges the cache.'

/** Skills that are like no other: each has words of its own. */
const others = (count: number): Tree =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `skills/other-${at}/SKILL.md`,
      skill(`other-${at}`, `Handles w${at}a, w${at}b, w${at}c and w${at}d.`),
    ]),
  )

async function reported(rule: string, tree: Tree, paths = ['skills']): Promise<string[]> {
  const { diagnostics } = await check({ cwd: makeTree(tree), paths })
  return diagnostics
    .filter(({ ruleId }) => ruleId === rule)
    .map(({ name, reason, severity }) => `${name} ${severity}: ${reason}`)
}

describe('descriptions that are nearly the same', () => {
  const ambiguous = (tree: Tree, paths?: string[]) => reported('description-ambiguous', tree, paths)

  it('are reported at the later skill, with the one that it is most like', async () => {
    const tree = {
      ...others(30),
      'skills/deploy/SKILL.md': skill('deploy', DEPLOY),
      'skills/deploy-old/SKILL.md': skill(
        'deploy-old',
        'Deploys the site to production servers by hand, and purges the cache.',
      ),
      'skills/ship.skill.md': skill(
        'ship',
        'How to deploy a website to a production server and purge caches.',
      ),
      'skills/report/SKILL.md': skill('report', 'Reports what is in the cache of a website.'),
    }
    expect(await ambiguous(tree)).toEqual([
      'skills/ship.skill.md:2:7 warning: The description of "ship" is nearly that of "deploy" (skills/deploy/SKILL.md:2): 100 % alike',
    ])
  })

  it('are none of copies, of hidden skills, of names that come later, or of a few words', async () => {
    const tree = {
      ...others(10),
      'skills/deploy/SKILL.md': skill('deploy', DEPLOY),
      'skills/hidden/SKILL.md': skill('hidden', DEPLOY, 'metadata: { visibility: hidden }\n'),
      'skills/mid.skill.md': skill('mid', DEPLOY, 'metadata: { role: middleware }\n'),
      'skills/again/deploy/SKILL.md': skill('deploy', DEPLOY),
      'more/deploy/SKILL.md': skill('deploy', DEPLOY, 'license: MIT\n'),
      'skills/short/SKILL.md': skill('short', 'Purges caches.'),
      'skills/shorter/SKILL.md': skill('shorter', 'Purge a cache.'),
    }
    expect(await ambiguous(tree, ['skills', 'more'])).toEqual([])
    const another = { ...tree, 'more/ship/SKILL.md': skill('ship', DEPLOY) }
    expect(await ambiguous(another, ['skills', 'more'])).toHaveLength(1)
  })

  it('are reported together where they are many', async () => {
    const pairs = (count: number): Tree =>
      Object.fromEntries(
        Array.from({ length: 2 * count }, (_, at) => [
          `skills/pair-${at}/SKILL.md`,
          skill(`pair-${at}`, `Works on p${at >> 1}a, p${at >> 1}b, p${at >> 1}c and p${at >> 1}d.`),
        ]),
      )
    expect(await ambiguous({ ...others(20), ...pairs(5) })).toHaveLength(5)
    const [one = '', ...more] = await ambiguous({ ...others(20), ...pairs(12) })
    expect(more).toEqual([])
    expect(one).toMatch(
      /^skills\/pair-1\/SKILL\.md:2:7 warning: The descriptions of 24 of 44 skills are nearly those of others: "/,
    )
    expect(one.match(/\(100 %\)/g)).toHaveLength(10)
  })

  it('are found as by comparing all', () => {
    const random = randomFrom(7)
    const words = Array.from({ length: 40 }, (_, at) => `word${at}`)
    const texts = Array.from({ length: 120 }, () =>
      Array.from({ length: 4 + random() * 6 }, () => pick(random, words)),
    )
    const { texts: numbers, counts } = numberTerms(texts)
    const rarity = counts.map(count => Math.log(1 + (texts.length - count + 0.5) / (count + 0.5)) ** 2)
    const dot = (a: readonly number[] = [], b: readonly number[] = []): number =>
      a.filter(term => b.includes(term)).reduce((sum, term) => sum + (rarity[term] ?? 0), 0)
    for (const least of [0.4, 0.6, 0.8]) {
      const expected = numbers.flatMap((one, text) => {
        const cosines = numbers
          .slice(0, text)
          .map(other => dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other)))
        const most = Math.max(0, ...cosines)
        return most >= least ? [[text, most.toFixed(6)]] : []
      })
      const found = alikeTexts({ texts: numbers, counts }, least)
      expect(found.map(({ text, cosine }) => [text, cosine.toFixed(6)])).toEqual(expected)
    }
  })

  it('are found in little time where thousands are the same', { tags: 'long' }, () => {
    const same = Array.from({ length: 20_000 }, () => ['deploy', 'website', 'production', 'cache'])
    const started = process.cpuUsage()
    expect(alikeTexts(numberTerms(same), 0.75)).toHaveLength(19_999)
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1e6).toBeLessThan(10)
  })
})

describe('a description without a rare word', () => {
  const vague = (tree: Tree) => reported('description-vague', tree)
  const project = (count: number): Tree => ({
    ...Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `skills/help-${at}/SKILL.md`,
        skill(`help-${at}`, `Helps with projects and with w${at}.`),
      ]),
    ),
    'skills/review/SKILL.md': skill('review', 'Helps with your projects.'),
    'skills/said/SKILL.md': skill('said', 'How to use it'),
  })

  it('is reported in a collection', async () => {
    expect(await vague(project(20))).toEqual([
      'skills/review/SKILL.md:2:7 info: Each word in the description of "review" is in more than 3 descriptions',
      'skills/said/SKILL.md:2:7 info: Each word in the description of "said" is in more than 3 descriptions',
    ])
    expect(await vague(project(10))).toEqual([])
  })
})
