import { addToGroup } from '../../src/base/add-to-group.js'
import { byCodePoint } from '../../src/base/code-point-order.js'
import { isOffered } from '../../src/catalog/offered-tool.js'
import { rarityOf } from '../../src/search/rank.js'
import { termsOfText } from '../../src/search/tool-terms.js'
import { labelOf } from '../../src/skill/names.js'
import { type Finding, finding, type Place } from '../diagnostics/diagnostics.js'
import { type ProjectPart, shownPath } from '../project/project.js'
import { namedTools } from '../project/reference-targets.js'
import type { ReportPart } from '../project/report.js'

/** The least cosine of descriptions that are nearly the same. */
const ALIKE = 0.75
/** Shorter descriptions are alike by chance. */
const TERMS_MIN = 4
/** A term is rare if at most so many descriptions have it, or this share of them. */
const RARE = 3
const RARE_SHARE = 0.01
/** In a smaller collection, too few skills have a word for it to be common. */
const COLLECTION_MIN = 20
/** If more skills than this number and than this share are concerned, one finding is about all. */
const EACH_MAX = 10
const EACH_SHARE = 0.02
/** The most pairs that are named in that finding. */
const SHOWN_MAX = 10

/** A tool that a model chooses by its description. */
interface Described {
  directory: number
  path: string
  /** The shown path and line. */
  shown: string
  name: string
  description: string
  place: Place
}

/**
 * Finds descriptions that are nearly those of other skills, and descriptions that set their skill apart by no rare word.
 * Compares the terms that a search finds skills by. Works on tools that were read anew.
 */
export function checkDescriptions<Part extends ReportPart & ProjectPart>(parts: readonly Part[]): Part[] {
  const tools = describedTools(parts)
  const numbered = numberTerms(tools.map(({ description }) => termsOfText(description)))
  const found = [...ambiguous(tools, numbered), ...vague(tools, numbered)]
  return parts.map((part, number) => ({
    ...part,
    unresolved: [...(part.unresolved ?? []), ...found.filter(({ directory }) => directory === number)],
  }))
}

/** The tools that models are shown, each name and each copy once. */
function describedTools(parts: readonly (ReportPart & ProjectPart)[]): Described[] {
  const names = new Set<string>()
  const copies = new Set<string>()
  const tools: Described[] = []
  for (const { directory, name, file, tool } of namedTools(parts)) {
    const part = parts[directory]
    if (names.has(name) || !part) continue
    names.add(name)
    const { kind, frontmatter } = tool.fresh?.record ?? {}
    const { description } = frontmatter ?? {}
    if (!kind || !frontmatter || description === undefined || !isOffered({ name, kind, frontmatter }))
      continue
    const copy = JSON.stringify([labelOf(name), description])
    if (copies.has(copy)) continue
    copies.add(copy)
    const shown = `${shownPath(part.directory, file)}:${tool.place.line}`
    tools.push({ directory, path: file, shown, name, description, place: tool.place })
  }
  return tools
}

interface FoundIn {
  directory: number
  path: string
  finding: Finding
}

function ambiguous(tools: readonly Described[], numbered: NumberedTexts): FoundIn[] {
  const texts = numbered.texts.map(terms => (terms.length < TERMS_MIN ? [] : terms))
  const alike = alikeTexts({ ...numbered, texts }, ALIKE)
  const concerned = new Set(alike.flatMap(({ text, other }) => [text, other])).size
  if (concerned > Math.max(EACH_MAX, EACH_SHARE * tools.length)) return summary(tools, alike, concerned)
  return alike.flatMap(({ text, other, cosine }) => {
    const [one, first] = [tools[text], tools[other]]
    return one && first
      ? [
          foundAt(
            one,
            finding('description-ambiguous', one.place, one.name, first.name, first.shown, percent(cosine)),
          ),
        ]
      : []
  })
}

/** One finding about all descriptions that are nearly those of others, at the worst one. */
function summary(tools: readonly Described[], alike: readonly AlikeText[], concerned: number): FoundIn[] {
  const worst = [...alike].sort((a, b) => b.cosine - a.cosine || a.text - b.text).slice(0, SHOWN_MAX)
  const [first] = worst
  const one = first && tools[first.text]
  if (!one) return []
  const pairs = worst.map(
    ({ text, other, cosine }) => `"${tools[text]?.name}" and "${tools[other]?.name}" (${percent(cosine)})`,
  )
  const counts = [String(concerned), String(tools.length)]
  return [
    foundAt(one, finding('description-ambiguous', one.place, '', '', '', '', ...counts, pairs.join(', '))),
  ]
}

function vague(tools: readonly Described[], { texts, counts }: NumberedTexts): FoundIn[] {
  if (tools.length < COLLECTION_MIN) return []
  const most = Math.max(RARE, RARE_SHARE * tools.length)
  return tools
    .filter((_, at) => !(texts[at] ?? []).some(term => (counts[term] ?? 0) <= most))
    .map(one => foundAt(one, finding('description-vague', one.place, one.name, String(Math.floor(most)))))
}

function foundAt({ directory, path }: Described, one: Finding): FoundIn {
  return { directory, path, finding: one }
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}

/** Texts as numbers of their distinct terms, in ascending order. The rarer a term, the smaller its number. */
interface NumberedTexts {
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

interface AlikeText {
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
