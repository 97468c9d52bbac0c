import type { PGlite } from '@electric-sql/pglite'
import type { Store } from 'agent-apps'
import { fileStore, redisStore, SQL_TABLE, sqlStore } from 'agent-apps/store'
import { storeConformance } from 'agent-apps/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { temporary } from '../support/temporary.js'

const CONFLICT = { code: 'STATE_CONFLICT' }
/** Clients whose clocks differ by less see the same values. */
const CLOCK_DIFFERENCE = 60_000

let database: PGlite | undefined
const query = async (text: string, values: (string | number | null)[]) =>
  ((await database?.query(text, values))?.rows ?? []) as Record<string, unknown>[]

// A database takes seconds to start, so it is there in `npm run test:long` alone, where all tests share one.
beforeAll(async () => {
  if (!isLong) return
  const { PGlite } = await import('@electric-sql/pglite')
  database = await PGlite.create()
  await database.exec(SQL_TABLE)
})

afterAll(() => database?.close())

describe('storeConformance', () => {
  it('passes the store for a directory', () => storeConformance(fileStore(temporary())))

  it('passes the store for SQL', { tags: 'long' }, async () => {
    await storeConformance(sqlStore(query))
    expect(await query('SELECT * FROM agent_apps_store', [])).toEqual([])
  })

  it.each<[string, Partial<Store>, RegExp]>([
    ['forgets', { get: async () => null }, /`get` gives undefined for ""/],
    ['overwrites', { set: async () => crypto.randomUUID() }, /Of 8 that set one version, 8 won/],
    ['never deletes', { delete: async () => {} }, /`get` must resolve with null after `delete`/],
    ['throws', { get: () => Promise.reject(new Error('down')) }, /keepingValues fails: down/],
  ])('says of a store that %s what is wrong', async (_, broken, message) => {
    const store = { ...fileStore(temporary()), ...broken }
    await expect(storeConformance(store)).rejects.toMatchObject({
      code: 'CONFORMANCE_FAILED',
      message: expect.stringMatching(message),
    })
  })
})

describe('sqlStore', () => {
  it('sets a key once for a version, by the rows that a statement gives', async () => {
    const asked: unknown[][] = []
    let rows: unknown[] = []
    const store = sqlStore(async (text, values) => {
      asked.push([text.split(' ')[0], ...values.slice(0, 3)])
      return rows
    })
    const key = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(await store.get('a')).toBeNull()
    await expect(store.set('a', { b: 1 }, null)).rejects.toMatchObject(CONFLICT)
    rows = [{ version: 'one', value: '{"b":1}', expires: null }]
    const version = await store.set('a', { b: 1 }, 'one')
    expect(await store.get('a')).toEqual({ value: { b: 1 }, version: 'one' })
    await store.delete('a')
    expect(asked).toEqual([
      ['SELECT', key, expect.any(Number)],
      ['INSERT', key, expect.any(String), '{"b":1}'],
      ['UPDATE', key, version, '{"b":1}'],
      ['SELECT', key, expect.any(Number)],
      ['DELETE', key],
    ])
  })

  it('takes a statement that a client sends again for the one that it was', { tags: 'long' }, async () => {
    const twice = sqlStore(async (text, values) => {
      await query(text, values)
      return query(text, values)
    })
    const first = await twice.set('again', 1, null)
    const second = await twice.set('again', 2, first)
    expect(await twice.get('again')).toEqual({ value: 2, version: second })
  })

  it('keeps a value until it has expired by every clock, and then removes it', { tags: 'long' }, async () => {
    const store = sqlStore(query)
    const justNow = Date.now() - CLOCK_DIFFERENCE / 2
    const version = await store.set('expires', 1, null, { expires: justNow })
    expect(await store.get('expires')).toEqual({ value: 1, version, expires: justNow })
    await expect(store.set('expires', 2, null)).rejects.toMatchObject(CONFLICT)
    await store.set('expires', 2, version, { expires: Date.now() - 2 * CLOCK_DIFFERENCE })
    expect(await store.get('expires')).toBeNull()
    expect(await query('SELECT name FROM agent_apps_store WHERE name = $1', ['"expires"'])).toEqual([])
    await store.set('expires', 3, null)
    expect(await store.get('expires')).toMatchObject({ value: 3 })
    await store.delete('expires')
  })

  it('sets a value anew over one that has expired and is still there', { tags: 'long' }, async () => {
    const store = sqlStore(query)
    const version = await store.set('old', 1, null)
    await query('UPDATE agent_apps_store SET expires = $1 WHERE name = $2', [1, '"old"'])
    await expect(store.set('old', 2, version)).rejects.toMatchObject(CONFLICT)
    await store.set('old', 3, null)
    expect(await store.get('old')).toMatchObject({ value: 3 })
  })

  it.each(['40001', '40P01'])('reports the error %s of the database as a conflict', async code => {
    const store = sqlStore(() => Promise.reject(Object.assign(new Error('lost'), { code })))
    await expect(store.set('a', 1, null)).rejects.toMatchObject(CONFLICT)
    await expect(store.get('a')).rejects.toThrow('lost')
  })

  it('hands on any other error of the client', async () => {
    const store = sqlStore(() => Promise.reject(new Error('connection lost')))
    await expect(store.set('a', 1, null)).rejects.toThrow('connection lost')
  })

  it.each([[{ table: 'a; DROP TABLE b' }], [{ table: '' }], [{ ttlMs: 0 }], [{ ttlMs: Number.NaN }]])(
    'refuses the options %j',
    options => {
      expect(() => sqlStore(query, options)).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
    },
  )

  it('reports a row that is damaged', { tags: 'long' }, async () => {
    const store = sqlStore(query)
    await store.set('damaged', 1, null)
    await query('UPDATE agent_apps_store SET value = $1 WHERE name = $2', ['{', '"damaged"'])
    await expect(store.get('damaged')).rejects.toMatchObject({ code: 'STATE_INVALID' })
  })
})

describe('redisStore', () => {
  it('refuses options that are none', () => {
    expect(() => redisStore(null as never)).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
    expect(() => redisStore(async () => null, { ttlMs: -1 })).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID' }),
    )
  })
})
