/**
 * The store at an address: a Redis, a PostgreSQL, or else a folder of this machine. Servers with one store share their
 * chats and what is asked in them.
 */
export async function openStore(address) {
  if (address.startsWith('redis://')) return inRedis(address)
  if (address.startsWith('postgres://')) return inPostgres(address)
  const { fileStore } = await import('agent-apps/store')
  return fileStore(address)
}

async function inRedis(url) {
  const [{ createClient }, { redisStore }] = await Promise.all([import('redis'), import('agent-apps/store')])
  const client = await createClient({ url }).on('error', console.error).connect()
  return redisStore(args => client.sendCommand(args))
}

async function inPostgres(url) {
  const [{ default: pg }, { SQL_TABLE, sqlStore }] = await Promise.all([
    import('pg'),
    import('agent-apps/store'),
  ])
  const pool = new pg.Pool({ connectionString: url }).on('error', console.error)
  await pool.query(SQL_TABLE)
  return sqlStore(async (text, values) => (await pool.query(text, values)).rows)
}
