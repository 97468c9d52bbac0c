import assert from 'node:assert'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const PROJECT = join(import.meta.dirname, '..')
const { exports } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))

/** The names of all pages of the API, such as `createRuntime`. */
const pages = new Set(
  readdirSync(join(import.meta.dirname, 'dist/api'), { recursive: true })
    .filter(file => file.endsWith('.html'))
    .map(file => file.replace(/^.*\/|\.html$/g, '')),
)

for (const [entry, { default: file, types }] of Object.entries(exports).filter(([, { types }]) => types))
  test(`each export of agent-apps${entry.slice(1)} has a page`, async () => {
    const text = readFileSync(join(PROJECT, types), 'utf8')
    const named = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) => list.split(','))
    const names = named.map(name => name.trim().replace(/^type |^.* as /g, ''))
    const values = file ? Object.keys(await import(join(PROJECT, file))) : []
    const all = [...names, ...values].filter(name => name !== '')
    assert.deepEqual(
      all.filter(name => !pages.has(name)),
      [],
    )
  })
