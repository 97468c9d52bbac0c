// One of several processes that count in one value, while the server is killed: `node increment.js URL TIMES PROCESSES`.
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from './open-store.js'

const [url, times, processes] = process.argv.slice(2)
const { store, close } = await openStore(url)
const me = String(process.pid)
/** The value with its version, as far as this process knows. */
let kept
/** Tries that lost against another process, since one was won. */
let lost = 0

for (let done = 0; done < Number(times); ) {
  const started = performance.now()
  try {
    kept ??= (await store.get('count')) ?? { value: { total: 0, lost: 0, by: {} }, version: null }
    const { total, by } = kept.value
    // What failed without an answer may have been kept: the value says so.
    if ((by[me] ?? 0) > done) {
      done = by[me]
      continue
    }
    const value = { total: total + 1, lost: kept.value.lost + lost, by: { ...by, [me]: done + 1 } }
    kept = { value, version: await store.set('count', value, kept.version) }
    done++
    lost = 0
  } catch (error) {
    kept = undefined
    const isLost = error.code === 'STATE_CONFLICT'
    if (isLost) lost++
    // Those that lost try again one after another: if all did at once, all but one would lose again.
    await sleep(isLost ? Math.random() * Number(processes) * (performance.now() - started) : 50)
  }
}
await close()
