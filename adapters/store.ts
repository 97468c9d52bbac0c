/**
 * Stores for the state of sessions and for approvals: in a directory, in Redis, and in PostgreSQL or SQLite.
 *
 * @module agent-apps/store
 */

export type { Store } from 'agent-apps/runtime'
export { fileStore } from './store/file-store.js'
export { type RedisSend, type RedisStoreOptions, redisStore } from './store/redis-store.js'
export { SQL_TABLE, type SqlQuery, type SqlStoreOptions, sqlStore } from './store/sql-store.js'
