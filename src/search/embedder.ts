import { AgentAppsError } from '../base/error.js'
import type { ToolFrontmatter } from '../skill/frontmatter.js'
import { searchedTexts } from './searched-texts.js'
import { TEXT_MAX } from './words.js'

/** Gives a vector for each text, all of one length. */
export type Embed = (texts: string[]) => Promise<readonly ArrayLike<number>[]> | readonly ArrayLike<number>[]

/** The host's function that turns texts into vectors. The nearer two vectors, the more alike the texts. */
export interface Embedder {
  embed: Embed
  /** The name of the model, so that vectors of one are not compared with those of another. Default: none. */
  model?: string | undefined
}

/** True for an embedder, and nothing else. */
export function isEmbedder({ embed, model, ...others }: Record<string, unknown>): boolean {
  const isNamed = model === undefined || typeof model === 'string'
  return typeof embed === 'function' && isNamed && Object.keys(others).length === 0
}

/** The name of an embedder's model; undefined without an embedder. */
export function modelOf(embedder: Embedder | null): string | undefined {
  return embedder ? (embedder.model ?? '') : undefined
}

/** Texts that one call is given: services limit them. */
const TEXTS_MAX = 100

/** The text of a tool that is embedded: what it declares, which is the same for all who may know of it. */
export function embeddedText(frontmatter: ToolFrontmatter): string {
  const { name, description, tags } = searchedTexts(frontmatter, '')
  return [name, description, tags.join(' ')].join('\n').slice(0, TEXT_MAX)
}

/**
 * The vectors of texts: their directions alone, each number as a signed byte.
 *
 * @param length the length that they must have; null for any
 * @throws EMBEDDER_FAILED
 */
export async function embedTexts(
  embed: Embed,
  texts: readonly string[],
  length: number | null,
): Promise<Int8Array[]> {
  const vectors: Int8Array[] = []
  for (let start = 0; start < texts.length; start += TEXTS_MAX) {
    const some = texts.slice(start, start + TEXTS_MAX)
    const given = await called(embed, some)
    if (!Array.isArray(given) || given.length !== some.length)
      throw embedderFailed(`gave ${countOf(given)} for ${some.length} texts`)
    for (const vector of given as ArrayLike<number>[])
      vectors.push(directionOf(vector, length ?? vectors[0]?.length ?? null))
  }
  return vectors
}

async function called(embed: Embed, texts: string[]): Promise<unknown> {
  try {
    return await embed(texts)
  } catch (cause) {
    throw embedderFailed(`threw: ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  }
}

function countOf(given: unknown): string {
  return Array.isArray(given) ? `${given.length} vectors` : 'no array of vectors'
}

const LARGEST = 127

function directionOf(vector: ArrayLike<number>, length: number | null): Int8Array {
  const numbers = Array.from(Object(vector) as ArrayLike<number>)
  if (numbers.length === 0 || !numbers.every(Number.isFinite))
    throw embedderFailed('gave a vector that is not an array of finite numbers')
  if (length !== null && numbers.length !== length)
    throw embedderFailed(`gave vectors of ${length} and of ${numbers.length} numbers`)
  const most = numbers.reduce((largest, number) => Math.max(largest, Math.abs(number)), 0)
  return Int8Array.from(numbers, number => (most === 0 ? 0 : Math.round((LARGEST * number) / most)))
}

/** The cosine of the angle between two vectors; 0 where one has no direction. */
export function likeness(a: Int8Array, b: Int8Array): number {
  let [product, squaresA, squaresB] = [0, 0, 0]
  for (let at = 0; at < a.length; at++) {
    const [one, other] = [a[at] as number, b[at] as number]
    product += one * other
    squaresA += one * one
    squaresB += other * other
  }
  return product === 0 ? 0 : product / Math.sqrt(squaresA * squaresB)
}

export function embedderFailed(what: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('EMBEDDER_FAILED', `The function \`embed\` of \`search\` ${what}.`, {
    hint: 'It gets an array of texts, and returns an array with a vector of numbers for each, all of one length. Give the vectors of another model another `model`.',
    cause,
  })
}
