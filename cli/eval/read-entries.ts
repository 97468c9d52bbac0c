import { isJsonObject } from '../../src/base/json.js'
import { nearestKey } from '../../src/base/nearest.js'

type Path = readonly (string | number)[]

/** A prompt that a file of prompts holds, and where. */
export interface Prompt {
  query: string
  /** Null: no skill. */
  skill: string | null
  should: boolean
  path: Path
}

/** An entry that is not a prompt. */
interface EntryFault {
  reason: string
  /** The known key that a wrong one probably means. */
  near: string | null
  path: Path
}

export interface Entries {
  prompts: Prompt[]
  faults: EntryFault[]
}

/** The keys that mean the same thing, of an entry and of a file with lists of prompts. */
const ENTRY_KEYS = [['query', 'prompt'], ['should_trigger'], ['skill', 'expected_skill']]
const LISTS = { should_trigger_prompts: true, should_not_trigger_prompts: false }
const LIST_KEYS = [...Object.keys(LISTS).map(key => [key]), ['skill', 'expected_skill']]

/** Deeper than any form has prompts. Each prompt keeps its path, so that deep ones would fill the memory. */
const DEPTH_MAX = 8

/**
 * Reads the prompts of a parsed file, and what is wrong with its other entries.
 *
 * @param owner the skill of the entries that name none
 */
export function readEntries(value: unknown, owner: string | null, path: Path = []): Entries {
  if (path.length > DEPTH_MAX) return faulty(path, 'An entry is nested too deeply')
  if (Array.isArray(value)) return together(value, (item, at) => readEntries(item, owner, [...path, at]))
  if (!isJsonObject(value)) return faulty(path, 'An entry must be an object with a "query"')
  if (Array.isArray(value.queries)) return readEntries(value.queries, owner, [...path, 'queries'])
  if (value.queries !== undefined) return faulty([...path, 'queries'], '"queries" must be a list of entries')
  const lists = Object.entries(LISTS).filter(([key]) => value[key] !== undefined)
  const { skill: named = value.expected_skill } = value
  if (named !== undefined && named !== null && typeof named !== 'string')
    return faulty(path, 'The "skill" of an entry must be a string')
  const skill = named === undefined ? owner : (named ?? '')
  if (lists.length > 0) {
    const wrong = misspelt(value, LIST_KEYS, path)
    const read = together(lists, ([key, should]) => readList(value[key], skill, should, [...path, key]))
    return { ...read, faults: [...wrong, ...read.faults] }
  }
  const known =
    value.query === undefined && value.prompt === undefined
      ? [...ENTRY_KEYS, ['queries'], ...LIST_KEYS]
      : ENTRY_KEYS
  const [wrong] = misspelt(value, known, path)
  if (wrong) return { prompts: [], faults: [wrong] }
  return readEntry(value.query ?? value.prompt, skill, value.should_trigger ?? true, path)
}

function readList(value: unknown, skill: string | null, should: boolean, path: Path): Entries {
  if (!Array.isArray(value)) return faulty(path, `"${path.at(-1)}" must be a list of prompts`)
  return together(value, (item, at) => {
    const prompt = isJsonObject(item) ? (item.prompt ?? item.query) : item
    if (!hasWords(prompt))
      return faulty([...path, at], `A prompt of "${path.at(-1)}" must be a string with words`)
    return readEntry(prompt, skill, should, [...path, at])
  })
}

function readEntry(query: unknown, skill: string | null, should: unknown, path: Path): Entries {
  if (query === undefined) return faulty(path, 'An entry has no "query"')
  if (!hasWords(query)) return faulty(path, 'The "query" of an entry must be a string with words')
  if (typeof should !== 'boolean')
    return faulty(path, `"should_trigger" must be true or false, not ${JSON.stringify(should)}`)
  if (skill === null) return faulty(path, 'An entry has no "skill", and is in the folder of none')
  return { prompts: [{ query, skill: skill === '' ? null : skill, should, path }], faults: [] }
}

function hasWords(prompt: unknown): prompt is string {
  return typeof prompt === 'string' && prompt.trim() !== ''
}

/** The keys that are unknown and near a known one whose meaning the object lacks. */
function misspelt(value: object, meanings: readonly string[][], path: Path): EntryFault[] {
  const known = meanings.flat()
  const missing = meanings.filter(keys => !keys.some(key => key in value)).flat()
  return Object.keys(value).flatMap(key => {
    const near = known.includes(key) ? null : nearestKey(key, missing)
    if (near === null) return []
    return [{ path: [...path, key], reason: `An entry has an unknown key "${key}"`, near }]
  })
}

function together<Item>(items: readonly Item[], read: (item: Item, at: number) => Entries): Entries {
  const all = items.map(read)
  return { prompts: all.flatMap(({ prompts }) => prompts), faults: all.flatMap(({ faults }) => faults) }
}

function faulty(path: Path, reason: string): Entries {
  return { prompts: [], faults: [{ path, reason, near: null }] }
}
