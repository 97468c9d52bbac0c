import { AgentAppsError, type Store } from 'agent-apps/runtime'
import { CLOCK_DIFFERENCE_MS, checkTtl, keyDigest, parseKept, stateConflict } from './kept-value.js'

/**
 * Runs one statement with a client of the host's, commits it, and resolves with its rows. It must not run within a
 * transaction that is open. `values` are the values of `$1`, `$2` and so on.
 *
 * @example
 * async (text, values) => (await pool.query(text, values)).rows // pg
 * (text, values) => sql.unsafe(text, values) // postgres.js
 * async (text, values) => database.prepare(text.replaceAll('$', '?')).all(...values) // node:sqlite, better-sqlite3
 */
export type SqlQuery = (text: string, values: (string | number | null)[]) => Promise<readonly unknown[]>

/** The options of `sqlStore`. */
export interface SqlStoreOptions {
  /** The table, with its schema where it needs one: one for each application. Default: `agent_apps_store`. */
  table?: string
  /** How long state is kept after its last use, in milliseconds. Default: until it is deleted. */
  ttlMs?: number
}

/** The statements that make the default table, for PostgreSQL and SQLite. */
export const SQL_TABLE = `CREATE TABLE IF NOT EXISTS agent_apps_store (
  key text PRIMARY KEY,
  name text NOT NULL,
  version text NOT NULL,
  value text NOT NULL,
  expires bigint
);
CREATE INDEX IF NOT EXISTS agent_apps_store_expires ON agent_apps_store (expires);`

/** How many expired rows a `set` removes at most. */
const REMOVED_AT_ONCE = 10

/** The codes of PostgreSQL for a statement that lost against another one: a serialization failure, and a deadlock. */
const LOST_TO_ANOTHER = ['40001', '40P01']

/**
 * A store in a table of PostgreSQL, or of SQLite 3.35 or later. `key` is the SHA-256 of `name`, the store's key as
 * JSON; `value` is JSON text; `expires` is in milliseconds since 1970.
 *
 * Each `set` is one statement, so that only one of many with the same version takes effect. Values are as durable as
 * the server is configured: leave `synchronous_commit` on, and read from the primary.
 *
 * @throws OPTIONS_INVALID
 */
export function sqlStore(query: SqlQuery, options: SqlStoreOptions = {}): Store {
  const { table = 'agent_apps_store', ttlMs } = options
  if (
    typeof query !== 'function' ||
    typeof table !== 'string' ||
    !/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/.test(table)
  )
    throw new AgentAppsError(
      'OPTIONS_INVALID',
      'sqlStore needs a function that runs a statement, and a plain name as `table`.',
      { hint: 'For pg: `sqlStore(async (text, values) => (await pool.query(text, values)).rows)`.' },
    )
  checkTtl(ttlMs)
  const sql = statements(table)
  return {
    ...(ttlMs !== undefined && { ttlMs }),
    get: async key => {
      const [row] = await query(sql.get, [await keyDigest(key), outdated()])
      if (!row) return null
      const { version, value, expires } = row as Record<string, unknown>
      return {
        value: parseKept(value, key),
        version: String(version),
        ...(expires !== null && { expires: Number(expires) }),
      }
    },
    set: async (key, value, version, { expires } = {}) => {
      const next = crypto.randomUUID()
      const kept = [
        await keyDigest(key),
        next,
        JSON.stringify(value),
        expires === undefined ? null : Math.ceil(expires),
      ]
      const rows = await setOnce(key, () =>
        version === null
          ? query(sql.insert, [...kept, outdated(), JSON.stringify(key)])
          : query(sql.update, [...kept, outdated(), version]),
      )
      if (rows.length !== 1) throw stateConflict(key)
      if (expires !== undefined) await query(sql.tidy, [outdated()])
      return next
    },
    delete: async key => {
      await query(sql.delete, [await keyDigest(key)])
    },
  }
}

/**
 * Both ways to set match the new version, too, which a client that lost the reply has sent before. `tidy` compares the
 * time again in its outer condition, since another statement may renew a row that the inner one has chosen.
 */
function statements(table: string) {
  const name = table.replace(/^.*\./, '')
  return {
    get: `SELECT version, value, expires FROM ${table} WHERE key = $1 AND (expires IS NULL OR expires >= $2)`,
    insert: `INSERT INTO ${table} (key, version, value, expires, name) VALUES ($1, $2, $3, $4, $6)
      ON CONFLICT (key) DO UPDATE SET version = excluded.version, value = excluded.value, expires = excluded.expires
      WHERE ${name}.expires < $5 OR ${name}.version = excluded.version RETURNING version`,
    update: `UPDATE ${table} SET version = $2, value = $3, expires = $4
      WHERE key = $1 AND (version = $6 OR version = $2) AND (expires IS NULL OR expires >= $5) RETURNING version`,
    delete: `DELETE FROM ${table} WHERE key = $1`,
    tidy: `DELETE FROM ${table} WHERE expires < $1 AND key IN
      (SELECT key FROM ${table} WHERE expires < $1 LIMIT ${REMOVED_AT_ONCE})`,
  }
}

/** The time before which values have expired, by the slowest clock. */
function outdated(): number {
  return Date.now() - CLOCK_DIFFERENCE_MS
}

async function setOnce(key: string, run: () => Promise<readonly unknown[]>): Promise<readonly unknown[]> {
  try {
    return await run()
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code
    throw LOST_TO_ANOTHER.includes(String(code)) ? stateConflict(key, error) : error
  }
}
