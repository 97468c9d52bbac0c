import { AgentAppsError, type Store } from 'agent-apps/runtime'
import { CLOCK_DIFFERENCE_MS, checkTtl, keyDigest, parseKept, stateConflict } from './kept-value.js'

/**
 * Sends one command to Redis with a client of the host's, and resolves with the reply. `key` is the key that the
 * command concerns, by which a client of a cluster chooses the node.
 *
 * @example
 * args => client.sendCommand(args) // node-redis
 * (args, key) => cluster.sendCommand(key, false, args) // a cluster of node-redis
 * ([command, ...args]) => client.call(command, ...args) // ioredis
 */
export type RedisSend = (args: [command: string, ...args: string[]], key: string) => Promise<unknown>

/** The options of `redisStore`. */
export interface RedisStoreOptions {
  /** The prefix of all keys: one for each application. Default: `agent-apps:`. */
  prefix?: string
  /** How long state is kept after its last use, in milliseconds. Default: until it is deleted. */
  ttlMs?: number
}

/**
 * Keeps a value if the key has the expected version, or the new one, which a client that lost the reply has sent
 * before. Redis runs a script as one step.
 */
const SET = `
local version = redis.call('HGET', KEYS[1], 'version') or ''
if version ~= ARGV[1] and version ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'value', ARGV[3], 'key', ARGV[4], 'expires', ARGV[5])
if ARGV[5] == '' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIREAT', KEYS[1], ARGV[6]) end
return 1`

/**
 * A store in Redis, 4 or later, or in a server that speaks its protocol. Each key is one hash of `key`, `version`,
 * `value` (JSON) and `expires` (milliseconds since 1970, or empty).
 *
 * Values are as durable as the server is configured: set `appendfsync always` and `maxmemory-policy noeviction`.
 *
 * @throws OPTIONS_INVALID
 */
export function redisStore(send: RedisSend, options: RedisStoreOptions = {}): Store {
  const { prefix = 'agent-apps:', ttlMs } = options
  if (typeof send !== 'function' || typeof prefix !== 'string')
    throw new AgentAppsError(
      'OPTIONS_INVALID',
      'redisStore needs a function that sends a command, and a string as `prefix`.',
      { hint: 'For node-redis: `redisStore(args => client.sendCommand(args))`.' },
    )
  checkTtl(ttlMs)
  const nameOf = async (key: string): Promise<string> => `${prefix}${await keyDigest(key)}`
  return {
    ...(ttlMs !== undefined && { ttlMs }),
    get: async key => {
      const name = await nameOf(key)
      const reply = await send(['HMGET', name, 'version', 'value', 'expires'], name)
      const [version, value, expires] = Array.isArray(reply) ? reply.map(textOf) : []
      if (!version) return null
      return { value: parseKept(value, key), version, ...(expires && { expires: Number(expires) }) }
    },
    set: async (key, value, version, { expires } = {}) => {
      const name = await nameOf(key)
      const next = crypto.randomUUID()
      const end = expires === undefined ? '' : String(Math.ceil(expires))
      const removal = expires === undefined ? '' : String(Math.ceil(expires) + CLOCK_DIFFERENCE_MS)
      const values = [version ?? '', next, JSON.stringify(value), JSON.stringify(key), end, removal]
      const reply = await send(['EVAL', SET, '1', name, ...values], name)
      if (Number(reply) !== 1) throw stateConflict(key)
      return next
    },
    delete: async key => {
      const name = await nameOf(key)
      await send(['DEL', name], name)
    },
  }
}

/** A reply as text: clients give strings, or bytes if they are configured so. */
function textOf(reply: unknown): string | null {
  if (reply instanceof Uint8Array) return new TextDecoder().decode(reply)
  return typeof reply === 'string' ? reply : null
}
