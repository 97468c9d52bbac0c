import { isOffered } from '../../src/catalog/offered-tool.js'
import { termsOfText } from '../../src/search/tool-terms.js'
import { labelOf } from '../../src/skill/names.js'
import { type Finding, finding, type Place } from '../diagnostics/diagnostics.js'
import { type ProjectPart, shownPath } from '../project/project.js'
import { namedTools } from '../project/reference-targets.js'
import type { ReportPart } from '../project/report.js'
import { type AlikeText, alikeTexts, type NumberedTexts, numberTerms } from './alike-texts.js'

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
