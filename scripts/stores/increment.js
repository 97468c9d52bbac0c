// One of several processes that count in one value, while the server is killed: `node increment.js URL TIMES`.
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from './open-store.js'

const [url, times] = process.argv.slice(2)
const { store, close } = await openStore(url)
const me = String(process.pid)

for (let done = 0; done < Number(times); ) {
  try {
    const kept = await store.get('count')
    const { total = 0, by = {} } = kept?.value ?? {}
    // What failed without an answer may have been kept: the value says so.
    if ((by[me] ?? 0) > done) {
      done = by[me]
      continue
    }
    const next = { total: total + 1, by: { ...by, [me]: done + 1 } }
    await store.set('count', next, kept?.version ?? null)
    done++
  } catch (error) {
    if (error.code !== 'STATE_CONFLICT') await sleep(50)
  }
}
await close()
