import { addToGroup } from '../../src/base/add-to-group.js'
import { byCodePoint } from '../../src/base/code-point-order.js'
import { rarityOf } from '../../src/search/rank.js'

/** Texts as numbers of their distinct terms, in ascending order. The rarer a term, the smaller its number. */
export interface NumberedTexts {
  texts: readonly (readonly number[])[]
  /** The number of texts with each term, indexed by the term's number. */
  counts: readonly number[]
}

export function numberTerms(texts: readonly (readonly string[])[]): NumberedTexts {
  const distinct = texts.map(terms => [...new Set(terms)])
  const counts = new Map<string, number>()
  for (const terms of distinct) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  const rarest = [...counts].sort(([a, one], [b, other]) => one - other || byCodePoint(a, b))
  const numbers = new Map(rarest.map(([term], number) => [term, number]))
  return {
    texts: distinct.map(terms => terms.map(term => numbers.get(term) ?? 0).sort((a, b) => a - b)),
    counts: rarest.map(([, count]) => count),
  }
}

export interface AlikeText {
  /** The text's place. */
  text: number
  /** The earlier text that it is most like. */
  other: number
  /** The cosine of the two, in which rare terms count more. */
  cosine: number
}

/** A text is compared with at most so many, those that share its rarest terms: in a project, thousands may be the same. */
const COMPARED_MAX = 200

/**
 * Finds texts that are like an earlier one. Two texts with a high cosine share one of the rarest terms of each, so that
 * only texts that do are compared.
 */
export function alikeTexts({ texts, counts }: NumberedTexts, least: number): AlikeText[] {
  const weights = counts.map(count => rarityOf(count, texts.length) ** 2)
  const squares = texts.map(terms => sharedWeight(terms, terms, weights))
  const byTerm = new Map<number, number[]>()
  const alike: AlikeText[] = []
  for (const [text, terms] of texts.entries()) {
    const square = squares[text] ?? 0
    const others = new Set<number>()
    for (const term of rarestTerms(terms, weights, square, least)) {
      for (const other of byTerm.get(term) ?? []) if (others.size < COMPARED_MAX) others.add(other)
      addToGroup(byTerm, term, text)
    }
    let nearest: AlikeText | null = null
    for (const other of others) {
      const cosine =
        sharedWeight(terms, texts[other] ?? [], weights) / Math.sqrt(square * (squares[other] ?? 0))
      if (cosine >= least && cosine > (nearest?.cosine ?? 0)) nearest = { text, other, cosine }
    }
    if (nearest) alike.push(nearest)
  }
  return alike
}

/** The first terms, without those that alone could not reach the least cosine with any text. */
function rarestTerms(
  terms: readonly number[],
  weights: readonly number[],
  square: number,
  least: number,
): readonly number[] {
  let rest = square
  const end = terms.findIndex(term => {
    rest -= weights[term] ?? 0
    return rest < least ** 2 * square
  })
  return terms.slice(0, end + 1)
}

/** The sum of the weights of the terms that both texts have. */
function sharedWeight(a: readonly number[], b: readonly number[], weights: readonly number[]): number {
  let sum = 0
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [one, other] = [a[i] as number, b[j] as number]
    if (one === other) sum += weights[one] as number
    if (one <= other) i++
    if (other <= one) j++
  }
  return sum
}
