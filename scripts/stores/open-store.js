// A store over one client: of node-redis, ioredis or pg, by the server's address.
import { redisStore, SQL_TABLE, sqlStore } from 'agent-apps/store'

const OPENERS = { 'node-redis': openNodeRedis, ioredis: openIoRedis, pg: openSql }

/**
 * @param wrap changes how the store asks the server
 * @returns the store; `send`, which asks the server anything; `make`, where there is a table to make; `close`
 */
export async function openStore(
  url,
  client = url.startsWith('postgres:') ? 'pg' : 'node-redis',
  options,
  wrap = send => send,
) {
  const { send, ...opened } = await OPENERS[client](url)
  const newStore = client === 'pg' ? sqlStore : redisStore
  return { store: newStore(wrap(send), options), send, ...opened }
}

async function openNodeRedis(url) {
  const { createClient } = await import('redis')
  const client = createClient({ url, socket: { reconnectStrategy: () => 100 } })
  client.on('error', () => {})
  await client.connect()
  return { send: args => client.sendCommand(args), close: () => client.destroy() }
}

async function openIoRedis(url) {
  const { Redis } = await import('ioredis')
  const client = new Redis(url, { retryStrategy: () => 100 })
  client.on('error', () => {})
  return { send: ([command, ...args]) => client.call(command, ...args), close: () => client.disconnect() }
}

async function openSql(url) {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  pool.on('error', () => {})
  const send = async (text, values) => (await pool.query(text, values)).rows
  return { send, make: () => pool.query(SQL_TABLE), close: () => pool.end() }
}
