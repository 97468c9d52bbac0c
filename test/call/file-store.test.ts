import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, type Store } from 'agent-apps'
import { fileStore } from 'agent-apps/store'
import { describe, expect, it } from 'vitest'
import { times } from '../support/long.js'
import { startCode } from '../support/processes.js'
import { temporary } from '../support/temporary.js'

const CONFLICT = { code: 'STATE_CONFLICT' }

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(name =>
    statSync(join(directory, name)).isFile(),
  )
}

describe('fileStore', () => {
  it('keeps, replaces and deletes values by their versions', async () => {
    const store = fileStore(join(temporary(), 'made', 'when-needed'))
    expect(await store.get('a')).toBeNull()
    await store.delete('a')
    const first = await store.set('a', { list: [1, null] }, null)
    expect(await store.get('a')).toEqual({ value: { list: [1, null] }, version: first })
    await expect(store.set('a', 'other', null)).rejects.toMatchObject(CONFLICT)
    const second = await store.set('a', 'second', first)
    expect(second).not.toBe(first)
    await expect(store.set('a', 'third', first)).rejects.toMatchObject(CONFLICT)
    expect(await store.get('a')).toEqual({ value: 'second', version: second })
    await store.delete('a')
    expect(await store.get('a')).toBeNull()
    await expect(store.set('a', 'late', second)).rejects.toMatchObject(CONFLICT)
    const again = await store.set('a', 'anew', null)
    await expect(store.set('a', 'late', first)).rejects.toMatchObject(CONFLICT)
    expect(await store.get('a')).toEqual({ value: 'anew', version: again })
  })

  it.each(['../../outside', '/etc/passwd', 'a\0b', '.', '..', 'CON', 'x'.repeat(10_000), '\ud800', ''])(
    'keeps the key %j inside of its directory',
    async key => {
      const directory = join(temporary(), 'inside')
      const store = fileStore(directory)
      await store.set(key, 1, null)
      expect((await store.get(key))?.value).toBe(1)
      expect(filesIn(join(directory, '..'))).toEqual(filesIn(directory).map(name => `inside/${name}`))
      expect(filesIn(directory)).toHaveLength(1)
    },
  )

  it('leaves one file for each key, which only its owner can read', async () => {
    const directory = temporary()
    const store = fileStore(directory)
    let version = await store.set('a', 0, null)
    for (let count = 1; count < 10; count++) version = await store.set('a', count, version)
    const [file = '', ...more] = filesIn(directory)
    expect(more).toEqual([])
    expect(statSync(join(directory, file)).mode & 0o077).toBe(0)
    expect(JSON.parse(readFileSync(join(directory, file), 'utf8'))).toMatchObject({ key: 'a', value: 9 })
  })

  it.each(['', '{', '{"key":"b","id":"x","value":1}', 'null'])(
    'says of the damaged file %j which it is',
    async text => {
      const directory = temporary()
      const store = fileStore(directory)
      await store.set('a', 1, null)
      const [file = ''] = filesIn(directory)
      writeFileSync(join(directory, file), text)
      await expect(store.get('a')).rejects.toMatchObject({
        code: 'STATE_INVALID',
        file: join(directory, file),
      })
    },
  )

  it('does not take what a killed process left for a value', async () => {
    const directory = temporary()
    const store = fileStore(directory)
    const version = await store.set('a', 1, null)
    const [file = ''] = filesIn(directory)
    writeFileSync(join(directory, file, '..', 'half.tmp'), '{"key":')
    expect((await store.get('a'))?.value).toBe(1)
    await store.set('a', 2, version)
    await store.delete('a')
    expect(readdirSync(directory)).toEqual([])
  })

  it('lets one of many at the same time win', async () => {
    const store = fileStore(temporary())
    for (let round = 0; round < times(3, 10); round++) {
      const before = (await store.get('a'))?.version ?? null
      const tries = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => store.set('a', n, before)))
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    }
  })

  it('loses no count of four processes that retry', { tags: 'long' }, async () => {
    const directory = temporary()
    const code = `
      import { fileStore } from 'agent-apps/store'
      const store = fileStore(${JSON.stringify(directory)})
      let conflicts = 0
      for (let done = 0; done < 50; ) {
        const kept = await store.get('count')
        try {
          await store.set('count', (kept?.value ?? 0) + 1, kept?.version ?? null)
          done++
        } catch (error) {
          if (error.code !== 'STATE_CONFLICT') throw error
          conflicts++
        }
      }
      console.log(conflicts)`
    const conflicts = await Promise.all(Array.from({ length: 4 }, () => startCode(code)))
    expect((await fileStore(directory).get('count'))?.value).toBe(200)
    expect(conflicts.reduce((sum, one) => sum + Number(one), 0)).toBeGreaterThan(0)
  })
})

describe('a runtime with a file store', () => {
  const counter = (store: Store) => {
    const runtime = createRuntime({ paths: [], store })
    runtime.register({
      name: 'count',
      state: { schema: { type: 'object' }, initial: { count: 0 } },
      execute: (_, ctx) => ++(ctx.state as { count: number }).count,
    })
    return runtime
  }

  it('goes on with a session that another process began, until it ends', async () => {
    const directory = temporary()
    const ids = { sessionId: '../s' }
    expect(await counter(fileStore(directory)).invoke('count', {}, ids)).toBe(1)
    const output = await startCode(`
      import { createRuntime } from 'agent-apps'
      import { fileStore } from 'agent-apps/store'
      const runtime = createRuntime({ paths: [], store: fileStore(${JSON.stringify(directory)}) })
      runtime.register({
        name: 'count',
        state: { schema: { type: 'object' }, initial: { count: 0 } },
        execute: (_, ctx) => ++ctx.state.count,
      })
      console.log(await runtime.invoke('count', {}, ${JSON.stringify(ids)}))`)
    expect(output.trim()).toBe('2')
    const third = counter(fileStore(directory))
    expect(await third.invoke('count', {}, ids)).toBe(3)
    await third.endSession(ids.sessionId)
    expect(readdirSync(directory)).toEqual([])
    expect(await third.invoke('count', {}, ids)).toBe(1)
  })
})
