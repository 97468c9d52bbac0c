import { AgentAppsError, type JsonValue, type Store } from 'agent-apps'
import { messageOf } from './subject.js'

/** How many values are set at once on one version. */
const CONTENDERS = 8

/** Values that a store must give back as they were, and keys that it must tell apart. */
const VALUES: readonly JsonValue[] = [
  null,
  '',
  '\0 \ud800 \u2028 😀',
  [1, -0.5, 1e21, []],
  JSON.parse('{"__proto__": {"a": 1}, "": {}, "2": 0, "1": 0}'),
]
const KEYS = [
  '',
  ' ',
  'a',
  'A',
  'a\0b',
  '../a',
  'é',
  'e\u0301',
  '\ud800',
  '\ud801',
  '\ufffd',
  'x'.repeat(10_000),
]

/**
 * Runs a store against its contract: it gives back what it kept, tells keys apart, and of many that set one version
 * lets one win. Its own keys begin with a random name and are deleted at the end.
 *
 * @throws CONFORMANCE_FAILED with all `issues`
 */
export async function storeConformance(store: Store): Promise<void> {
  const problems: string[] = []
  const prefix = `conformance-${crypto.randomUUID()}`
  const used = new Set<string>()
  const key = (name: string): string => {
    used.add(`${prefix}${name}`)
    return `${prefix}${name}`
  }
  for (const check of CHECKS) {
    try {
      await check(store, key, problem => problems.push(problem))
    } catch (error) {
      problems.push(`${check.name} fails: ${messageOf(error)}`)
    }
  }
  for (const name of used) await store.delete(name)
  if (problems.length > 0) throw storeFailed(problems)
}

type StoreCheck = (
  store: Store,
  key: (name: string) => string,
  fault: (problem: string) => void,
) => Promise<void>

const CHECKS: readonly StoreCheck[] = [
  async function keepingValues(store, key, fault) {
    if ((await store.get(key('missing'))) !== null)
      fault('`get` must resolve with null for a key that has no value.')
    await store.delete(key('missing'))
    for (const [index, value] of VALUES.entries()) {
      const name = key(`value ${index}`)
      const version = await store.set(name, value, null)
      if (typeof version !== 'string') fault('`set` must resolve with the new version, a string.')
      const kept = await store.get(name)
      if (JSON.stringify(kept?.value) !== JSON.stringify(value))
        fault(`\`get\` gives ${JSON.stringify(kept?.value)} for ${JSON.stringify(value)}.`)
      if (kept?.version !== version) fault('`get` must give the version that `set` resolved with.')
    }
  },
  async function separatingKeys(store, key, fault) {
    for (const [index, name] of KEYS.entries()) await store.set(key(name), index, null)
    for (const [index, name] of KEYS.entries()) {
      const value = (await store.get(key(name)))?.value
      if (value !== index)
        fault(`The key ${shortened(name)} has the value of ${shortened(KEYS[Number(value)])}.`)
    }
  },
  async function comparingVersions(store, key, fault) {
    const name = key('versions')
    const first = await store.set(name, 1, null)
    await mustConflict(store.set(name, 2, null), 'null, while the key has a value', fault)
    const second = await store.set(name, 2, first)
    if (second === first) fault('Each `set` must make another version.')
    await mustConflict(store.set(name, 3, first), 'a version that was replaced', fault)
    await store.delete(name)
    if ((await store.get(name)) !== null) fault('`get` must resolve with null after `delete`.')
    await mustConflict(store.set(name, 3, second), 'the version of a deleted value', fault)
    await store.set(name, 4, null)
    await mustConflict(store.set(name, 5, second), 'a version from before the value was deleted', fault)
  },
  async function lettingOneWin(store, key, fault) {
    const name = key('contended')
    for (let version: string | null = null, round = 0; round < 3; round++) {
      const tries = await Promise.allSettled(
        Array.from({ length: CONTENDERS }, (_, value) => store.set(name, value, version)),
      )
      const won = tries.flatMap((one, value) =>
        one.status === 'fulfilled' ? [{ value, version: one.value }] : [],
      )
      if (won.length !== 1) fault(`Of ${CONTENDERS} that set one version, ${won.length} won; it must be one.`)
      for (const one of tries)
        if (one.status === 'rejected' && !isConflict(one.reason))
          fault(`A \`set\` that lost must reject with STATE_CONFLICT, not: ${messageOf(one.reason)}`)
      const kept = await store.get(name)
      if (won.length === 1 && kept?.value !== won[0]?.value) fault('The value that won is not the one kept.')
      version = kept?.version ?? null
    }
  },
  async function keepingUntilExpiry(store, key, fault) {
    const name = key('expires')
    await store.set(name, 1, null, { expires: Date.now() + 3_600_000 })
    if ((await store.get(name))?.value !== 1) fault('A value must be kept until it expires.')
  },
]

async function mustConflict(
  setting: Promise<unknown>,
  version: string,
  fault: (problem: string) => void,
): Promise<void> {
  const outcome = await setting.then(
    () => 'it keeps the value',
    error => (isConflict(error) ? null : messageOf(error)),
  )
  if (outcome !== null) fault(`\`set\` with ${version} must reject with STATE_CONFLICT, but ${outcome}.`)
}

function isConflict(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === 'STATE_CONFLICT'
}

function shortened(key = ''): string {
  return JSON.stringify(key.slice(0, 20))
}

function storeFailed(problems: readonly string[]): AgentAppsError {
  return new AgentAppsError('CONFORMANCE_FAILED', `The store breaks its contract. ${problems.join(' ')}`, {
    hint: 'See the contract of a store in docs/state.md.',
    issues: problems.map(message => ({ path: '', expected: 'store', found: message, message })),
  })
}
