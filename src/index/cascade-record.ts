import { isJsonObject, isStringArray } from '../base/json.js'
import { HOOK_TRIGGERS } from '../skill/metadata-keys.js'
import type { DirectoryNames } from './directory-names.js'
import { CALLS_MAX, type CascadeRecord } from './index-format.js'
import { IndexRefused } from './read-index.js'
import { arrayOf, type Check, hasFields, isString, optional } from './record-fault.js'

/**
 * The compiled cascade of a tool. It is checked here, where a tool is run, as finding one does without.
 *
 * @throws IndexRefused
 */
export function cascadeIn(index: DirectoryNames, name: string): CascadeRecord | undefined {
  const record = index.cascade?.(name)
  if (record !== undefined) expectCascade(name, record)
  return record
}

/** Throws IndexRefused unless the value is a cascade as this compiler writes it. */
export function expectCascade(name: string, record: unknown): void {
  if (!isCascade(record)) throw new IndexRefused(`the record of ${JSON.stringify(name)} is invalid`)
}

const isTrue: Check = value => value === true

const isChainEntry = hasFields({
  name: isString,
  args: args => args !== undefined,
  hook: optional(arrayOf(one => HOOK_TRIGGERS.some(trigger => trigger === one))),
  static: optional(isTrue),
})

const isCascade = hasFields({
  chain: chain => Array.isArray(chain) && chain.length <= CALLS_MAX && chain.every(isChainEntry),
  body: optional(isAddress),
  deps: optional(isStringArray),
  metadata: optional(isJsonObject),
  open: optional(isTrue),
  peers: optional(isStringArray),
  problem: optional(hasFields({ message: isString, hint: isString })),
  sources: optional(arrayOf(isAddress)),
})

function isAddress(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2 || typeof value[1] !== 'string') return false
  return value[0] === 'library' || (Number.isInteger(value[0]) && value[0] >= 0)
}
