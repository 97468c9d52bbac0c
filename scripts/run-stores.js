// Tests the stores for Redis and SQL with real servers, which Debian's packages bring: contract, counts, kills, one use.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { install, pack, run } from './processes.js'
import { startPostgres, startRedis } from './stores/servers.js'
import { runTwoServers } from './stores/two-servers.js'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGES = ['redis@6.3.1', 'ioredis@6.0.0', 'pg@8.23.1', 'ai@6.0.324']
/** Processes that count at the same time, and how often each does; more than one kill falls into that. */
const COUNTING = 8
const INCREMENTS = 1250
const KILLS = 3
/** Processes that run one approved call at the same time, and how many calls. */
const USERS = 4
const ROUNDS = 100

const scratch = mkdtempSync(join(process.env.AGENT_APPS_CI_SCRATCH ?? tmpdir(), 'stores-'))
const app = join(scratch, 'app')
const servers = []
try {
  const tarball = pack(scratch)
  install(app, [tarball, ...PACKAGES])
  run('npm', ['pkg', 'set', 'type=module'], { cwd: app })
  // Beside the packages that they import.
  cpSync(fileURLToPath(new URL('stores', import.meta.url)), app, { recursive: true })
  const example = join(app, 'web-approvals')
  cpSync(join(PROJECT, 'examples/web-approvals'), example, { recursive: true })
  for (const [kind, start] of [
    ['redis', startRedis],
    ['postgres', startPostgres],
  ]) {
    const server = await start(join(scratch, kind))
    servers.push(server)
    await testStores(kind, server)
    await runTwoServers(example, server.url)
    console.log(`${kind}: asked in one process, approved and run once in another, and not again after a kill`)
  }
} catch (error) {
  console.log(`${error.stack}\n${error.stdout ?? ''}${error.stderr ?? ''}`)
  process.exitCode = 1
} finally {
  for (const server of servers) await server.stop()
  rmSync(scratch, { recursive: true, force: true })
}
// Clients of a failed step would go on trying.
process.exit()

async function testStores(kind, server) {
  const { openStore } = await import(join(app, 'open-store.js'))
  const { storeConformance } = await import(join(app, 'node_modules/agent-apps/dist/adapters/testing.js'))
  for (const client of kind === 'redis' ? ['node-redis', 'ioredis'] : ['pg']) {
    const { store, make, close } = await openStore(server.url, client)
    await make?.()
    await storeConformance(store)
    await sendsAgain(server, client, openStore)
    await expires(kind, server, client, openStore)
    console.log(`${client}: the contract, a command sent again, expiry`)
    if (client !== 'ioredis') await usesOnce(server, store, client)
    if (client !== 'ioredis') await counts(server, store, client)
    await close()
  }
}

/** A client that lost the reply sends the same command again: it is one `set`. */
async function sendsAgain({ url }, client, openStore) {
  const { store, close } = await openStore(url, client, {}, send => async (...command) => {
    await send(...command)
    return send(...command)
  })
  const first = await store.set('again', 1, null)
  const second = await store.set('again', 2, first)
  assert.deepEqual(await store.get('again'), { value: 2, version: second })
  await store.delete('again')
  await close()
}

/** A value is there until it has expired by a clock that is a minute slow, and then it is removed. */
async function expires(kind, { url }, client, openStore) {
  const { store, send, close } = await openStore(url, client, {
    prefix: 'expiry:',
    table: 'agent_apps_store',
  })
  await store.set('early', 1, null, { expires: Date.now() - 30_000 })
  assert.equal((await store.get('early'))?.value, 1)
  await store.set('late', 1, null, { expires: Date.now() - 61_000 })
  assert.equal(await store.get('late'), null)
  await store.delete('early')
  const left =
    kind === 'redis' ? await send(['KEYS', 'expiry:*']) : await send('SELECT * FROM agent_apps_store', [])
  assert.deepEqual(left, [])
  await close()
}

/** One approval, many processes that run its call: one runs it. */
async function usesOnce({ url }, store, client) {
  const { openAgent } = await import(join(app, 'deploying-agent.js'))
  const { agent } = openAgent(store)
  const users = Array.from({ length: USERS }, () => {
    const child = spawn(process.execPath, ['use-once.js', url], {
      cwd: app,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    return { child, lines }
  })
  let runs = 0
  for (let round = 0; round < ROUNDS; round++) {
    const callId = `call-${round}`
    await agent.authorize('deploy', {}, { callId })
    await agent.answer(callId, 'allow-once')
    for (const { child } of users) child.stdin.write(`${JSON.stringify({ callId })}\n`)
    const outcomes = await Promise.all(users.map(async ({ lines }) => JSON.parse((await lines.next()).value)))
    const ran = outcomes.reduce((sum, one) => sum + one.runs, 0)
    assert.equal(ran, 1, `round ${round}: ${JSON.stringify(outcomes)}`)
    runs += ran
  }
  for (const { child } of users) child.stdin.end()
  console.log(`${client}: ${ROUNDS} approvals in ${USERS} processes: ${runs} runs`)
}

/** Processes that count in one value, while the server is killed: none is lost, none counts twice. */
async function counts(server, store, client) {
  const started = Date.now()
  const counting = Array.from({ length: COUNTING }, () => {
    const args = ['increment.js', server.url, String(INCREMENTS), String(COUNTING)]
    const child = spawn(process.execPath, args, { cwd: app, stdio: 'inherit' })
    return new Promise((done, fail) =>
      child.once('exit', code => (code === 0 ? done() : fail(new Error(`exit ${code}`)))),
    )
  })
  for (let kills = 1; kills <= KILLS; kills++) {
    for (;;) {
      const total = (await store.get('count').catch(() => null))?.value.total ?? 0
      if (total > (kills * COUNTING * INCREMENTS) / (KILLS + 1)) break
      await sleep(20)
    }
    await server.kill()
  }
  await Promise.all(counting)
  const { total, lost } = (await store.get('count')).value
  console.log(
    `${client}: ${COUNTING} processes × ${INCREMENTS}, the server killed ${KILLS} times: ${total}, ${lost} tries lost, ${Date.now() - started} ms`,
  )
  assert.equal(total, COUNTING * INCREMENTS)
  assert.ok(lost > INCREMENTS / 10, 'They hardly met.')
}
