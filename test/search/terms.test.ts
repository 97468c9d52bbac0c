import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { stemmer } from 'stemmer'
import { describe, expect, it } from 'vitest'
import type { TermIndex } from '../../src/search/postings.js'
import { EVERYTHING, rank, searchViewOf } from '../../src/search/rank.js'
import { stem } from '../../src/search/stem.js'
import { TermStore } from '../../src/search/term-store.js'
import {
  countName,
  currentVocabulary,
  fieldWeights,
  type SearchedTexts,
  selectFirst,
  type ToolTerms,
  termsOfText,
  toolTerms,
} from '../../src/search/tool-terms.js'
import { FieldCounts } from '../../src/search/vocabulary.js'
import { wordsOfQuery } from '../../src/search/words.js'
import { ROOT } from '../support/processes.js'

function termsOfName(name: string): string[] {
  const counts = new FieldCounts()
  const vocabulary = currentVocabulary()
  countName(name, vocabulary, counts)
  return counts.terms.map(term => vocabulary.termAt(term))
}

function indexTerms(tools: readonly ToolTerms[]) {
  const store = new TermStore()
  return store.index(tools.map(one => store.add(one)))
}

describe('stem', () => {
  it('says what the package `stemmer` says', () => {
    const pages = readdirSync(join(ROOT, 'docs')).map(name => readFileSync(join(ROOT, 'docs', name), 'utf8'))
    const words = new Set(
      pages
        .join(' ')
        .toLowerCase()
        .match(/[a-z]+/g),
    )
    const made = ['relational', 'oscillators', 'formaliti', 'adoption', 'gravelle', 'sky', 'agreed', 'fizzed']
    expect(words.size).toBeGreaterThan(3000)
    // The package gives `e` for "eed", of which the algorithm takes nothing away.
    const others = [...words, ...made].filter(word => word !== 'eed' && stem(word) !== stemmer(word))
    expect(others).toEqual([])
  })
})

describe('terms', () => {
  it('are stemmed words, without those that say nothing', () => {
    expect(termsOfText('How to use the Deployments, deployed?')).toEqual(['deploy', 'deploi'])
    expect(termsOfText('Größe naïve v2.1')).toEqual(['größe', 'naïve', 'v2', '1'])
  })

  it('are found as quickly among words that a hostile author chose to lie in one place of a table', () => {
    const word = (number: number): string => `w${number.toString(36).padStart(6, '0')}sameending`
    const texts = Array.from({ length: 80 }, (_, text) =>
      Array.from({ length: 450 }, (_, at) => word(450 * text + at)).join(' '),
    )
    // Hundreds of thousands of comparisons for each text take longer than the test may.
    const started = performance.now()
    const found = texts.map(text => termsOfText(text).length)
    expect(found).toEqual(texts.map(() => 450))
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('of scripts without spaces are pairs of characters', () => {
    expect(termsOfText('部署指南 and かな 字')).toEqual(['部署', '署指', '指南', 'かな', '字'])
  })

  it('of words beside others without a space, and of long ones, are their own', () => {
    expect(termsOfText('foo中文bar, ÄRGER Ärger—x 中文')).toEqual(['foo', '中文', 'bar', 'ärger', 'x'])
    expect(termsOfText('strative1 administrative1 registrative1 Administrative1')).toEqual([
      'strative1',
      'administrative1',
      'registrative1',
    ])
    const long = '中'.repeat(40)
    expect(termsOfText(`${'x'.repeat(65)} ${'b'.repeat(64)} ${long}文`)).toEqual([
      'b'.repeat(64),
      '中中',
      '中文',
    ])
  })

  it('of a name are its parts too, those that say nothing elsewhere among them', () => {
    expect(termsOfName('acme:use-skill')).toEqual(['acm', 'us', 'skill'])
    expect(termsOfName('readCSVFile')).toEqual(['readcsvfil', 'read', 'csv', 'file'])
    expect(termsOfName('PDFs')).toEqual(['pdf'])
  })

  it('of a query are there once, with the word that was asked; one that only says nothing keeps its words', () => {
    expect(wordsOfQuery('Deploy the deploying AppInsights')).toEqual([
      { word: 'deploy', term: 'deploi' },
      { word: 'appinsights', term: 'appinsight' },
      { word: 'app', term: 'app' },
      { word: 'insights', term: 'insight' },
    ])
    expect(wordsOfQuery('how to').map(({ word }) => word)).toEqual(['how', 'to'])
    expect(wordsOfQuery(' ?! ')).toEqual([])
  })

  it('of hostile texts are bounded', () => {
    const distinct = Array.from({ length: 100_000 }, (_, number) => `w${number}`).join(' ')
    const tags = Array.from({ length: 10_000 }, (_, number) => `t${number}`)
    const bodies = [
      distinct,
      'same '.repeat(1_000_000),
      `a${'\u0301'.repeat(1_000_000)}`,
      'x'.repeat(1_000_000),
    ]
    for (const body of bodies) expect(toolTerms(textsOf({ body })).terms.length).toBeLessThanOrEqual(129)
    expect(toolTerms(textsOf({ tags, description: distinct })).terms.length).toBeLessThan(5000)
    expect(wordsOfQuery(distinct).length).toBeLessThan(5000)
  })
})

describe('selectFirst', () => {
  it('puts the first by a comparison in front, as sorting does', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), fc.nat(30), (numbers, count) => {
        const selected = Uint32Array.from(numbers)
        selectFirst(selected, count, (a, b) => a - b)
        const sorted = numbers.toSorted((a, b) => a - b)
        expect([...selected.slice(0, count)].sort((a, b) => a - b)).toEqual(sorted.slice(0, count))
        expect([...selected].sort((a, b) => a - b)).toEqual(sorted)
      }),
    )
  })
})

describe('the weight of a term', () => {
  const texts = textsOf({
    name: 'deploy',
    description: 'Ships a release.',
    body: '# Rollback\n\nWatch the canary.\n\n```sh\n# comment\nkubectl apply\n```\n',
  })

  it('is more in the name than in the description, and least in the body', () => {
    const weights = weightsOf(texts)
    const weightOf = (term: string): number => weights.get(term)?.all ?? 0
    expect(weightOf('deploi')).toBeGreaterThan(weightOf('releas'))
    expect(weightOf('releas')).toBeGreaterThan(weightOf('rollback'))
    expect(weightOf('rollback')).toBeGreaterThan(weightOf('canari'))
    for (const { all, declared } of weights.values())
      expect([all > 0, all <= 63, declared <= all]).toEqual([true, true, true])
  })

  it('counts no code, and keeps apart what only headings and body have', () => {
    const weights = weightsOf(texts)
    expect(weights.has('kubectl')).toBe(false)
    expect(weights.has('comment')).toBe(false)
    expect([...weights].flatMap(([term, { declared }]) => (declared === 0 ? [term] : []))).toEqual([
      'rollback',
      'watch',
      'canari',
    ])
    const most = textsOf({ body: Array.from({ length: 300 }, (_, number) => `word${number}`).join(' ') })
    const kept = Array.from({ length: 128 }, (_, number) => `word${number}`)
    expect([...weightsOf({ ...most, name: '' }).keys()].sort()).toEqual(kept.sort())
    expect(fieldWeights(texts, 'deploi')).toEqual({ name: expect.closeTo(4.5) })
    expect(Object.keys(fieldWeights({ ...texts, tags: ['canary'] }, 'canari'))).toEqual(['tags', 'body'])
  })

  it('depends on no other tool, and a word that comes often counts less each time', () => {
    const times = (count: number): number =>
      weightsOf(textsOf({ description: 'word '.repeat(count) })).get('word')?.all ?? 0
    expect(times(2)).toBeGreaterThan(times(1))
    expect(times(20) - times(19)).toBeLessThan(times(2) - times(1))
  })
})

describe('rank', () => {
  const names = ['deploy-app', 'deploy-site', 'kubernetes', 'write-poem', 'deploy']
  const index = indexTerms(names.map(name => toolTerms(textsOf({ name }))))

  function ranked(query: string, { parts = names.map(() => EVERYTHING), limit = 10, wanted = names } = {}) {
    const view = searchViewOf(Uint8Array.from(parts))
    const isWanted = (row: number): boolean => wanted.includes(names[row] ?? '')
    const { best, found } = rank(wordsOfQuery(query), index, view, isWanted, limit)
    return { found, names: best.map(({ row }) => names[row]), best }
  }

  it('puts what has the rarer and the more words first, and of two as good the first', () => {
    expect(ranked('deploy').names).toEqual(['deploy', 'deploy-app', 'deploy-site'])
    expect(ranked('deploy a poem').names[0]).toBe('write-poem')
    expect(ranked('deploy my site').best[0]).toMatchObject({ row: 1, matched: ['deploy', 'site'] })
  })

  it('takes a word that no tool has as the beginning of one', () => {
    expect(ranked('kube').names).toEqual(['kubernetes'])
    expect(ranked('ku').names).toEqual([])
    expect(ranked('nothing').names).toEqual([])
  })

  it('keeps the best, counts all, and answers with those that are wanted', () => {
    expect(ranked('deploy', { limit: 1 })).toMatchObject({ found: 3, names: ['deploy'] })
    expect(ranked('deploy', { wanted: ['deploy-site'] })).toMatchObject({ found: 1, names: ['deploy-site'] })
  })

  it('counts nothing of what a caller may not see', () => {
    const without = ranked('deploy kube', { parts: [2, 2, 0, 2, 0] })
    const alone = indexTerms(
      ['deploy-app', 'deploy-site', 'write-poem'].map(name => toolTerms(textsOf({ name }))),
    )
    const view = searchViewOf(Uint8Array.from([2, 2, 2]))
    const expected = rank(wordsOfQuery('deploy kube'), alone, view, () => true, 10)
    expect(without.best).toEqual(expected.best)
  })

  it('reads the postings of a word in its first query only', () => {
    const view = searchViewOf(Uint8Array.from([2, 2, 0, 2, 0]))
    const asked: string[] = []
    const counting: TermIndex = {
      postings: term => {
        asked.push(term)
        return index.postings(term)
      },
      beginningWith: start => index.beginningWith(start),
    }
    const search = () => rank(wordsOfQuery('deploy kube nothing'), counting, view, () => true, 10)
    const first = search()
    expect(asked).toEqual(['deploi', 'kube', 'kubernet', 'noth'])
    expect(search()).toEqual(first)
    expect(asked).toHaveLength(4)
  })

  it('keeps a bounded number of the terms that were looked up', () => {
    const view = searchViewOf(new Uint8Array(1).fill(EVERYTHING))
    const none: TermIndex = { postings: () => undefined, beginningWith: () => [] }
    const words = Array.from({ length: 20_000 }, (_, number) => ({ word: 'w', term: `t${number}` }))
    expect(rank(words, none, view, () => true, 10).found).toBe(0)
    expect(view.seen.size).toBeLessThan(20_000)
  })

  it('gives the same best as sorting all of them', () => {
    const many = Array.from({ length: 500 }, (_, row) => `${'word '.repeat((row * 7) % 11)} other`)
    const all = indexTerms(many.map(description => toolTerms(textsOf({ description }))))
    const view = searchViewOf(new Uint8Array(500).fill(EVERYTHING))
    const first = (limit: number) => rank(wordsOfQuery('word other'), all, view, () => true, limit).best
    const sorted = first(500).toSorted((a, b) => b.score - a.score || a.row - b.row)
    expect(first(500)).toEqual(sorted)
    expect(first(7)).toEqual(sorted.slice(0, 7))
  })
})

function weightsOf(texts: SearchedTexts): Map<string, { all: number; declared: number }> {
  const { terms, vocabulary, all, declared } = toolTerms(texts)
  return new Map(
    terms.map((term, at) => [vocabulary.termAt(term), { all: all[at] ?? 0, declared: declared[at] ?? 0 }]),
  )
}

function textsOf(given: Partial<SearchedTexts>): SearchedTexts {
  return { name: 'x', tags: [], description: '', body: '', ...given }
}
