import { hash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { compile } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { compiled, goodSkills, makeTree, skill, type Tree, writeTree } from '../support/tree.js'

const CACHE = '.agent-apps/cache.json'

/** Enough for an index that is split. */
const TREE: Tree = goodSkills(150)

/** A compiled directory whose files were left alone before. */
async function settled(): Promise<string> {
  const dir = makeTree(TREE)
  await sleep(100)
  await compile({ cwd: dir, paths: ['.'] })
  return dir
}

it('puts what changed behind the rest of the cache, until that is much', { tags: 'long' }, async () => {
  const dir = await settled()
  const cache = (): string => readFileSync(join(dir, CACHE), 'utf8')
  let before = cache()
  let added = 0
  for (let round = 0; round < 20; round++) {
    writeTree(dir, { 'good-1/SKILL.md': skill('good-1', `Round ${round}.\n`) })
    expect((await compile({ cwd: dir, paths: ['.'] })).reused).toBe(149)
    const after = cache()
    if (after.startsWith(before)) added++
    else expect(after.split('\n')).toHaveLength(2)
    before = after
  }
  expect(added).toBeGreaterThan(5)
  expect(added).toBeLessThan(20)
  const last = compiled(dir)
  await compile({ cwd: dir, paths: ['.'], force: true })
  expect(compiled(dir)).toEqual(last)
})

it('uses no cache of which any part was changed or cut off', { tags: 'long' }, async () => {
  const dir = await settled()
  for (const text of ['One.\n', 'Two.\n']) {
    writeTree(dir, { 'good-1/SKILL.md': skill('good-1', text) })
    await compile({ cwd: dir, paths: ['.'] })
  }
  const whole = readFileSync(join(dir, CACHE), 'utf8')
  const lines = whole.split('\n')
  expect(lines).toHaveLength(6)
  const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = ''] = lines
  const damaged: Record<string, string[]> = {
    'one left out': [first, second, fifth, sixth],
    'two swapped': [first, second, fifth, sixth, third, fourth],
    'the last cut off': [first, second, third, fourth, fifth, sixth.slice(0, -9)],
    'a value changed': [first, second, third, fourth.replace('good-1', 'good-2'), fifth, sixth],
    'an older one': [first, second, third, fourth],
  }
  for (const [what, kept] of Object.entries(damaged)) {
    writeFileSync(join(dir, CACHE), kept.join('\n'))
    expect((await compile({ cwd: dir, paths: ['.'] })).reused, what).toBe(0)
    writeFileSync(join(dir, CACHE), whole)
  }
})

it('uses no cache that somebody sealed over fields of other types', { tags: 'long' }, async () => {
  const dir = await settled()
  const file = join(dir, CACHE)
  const stored = JSON.parse(readFileSync(file, 'utf8').split('\n')[1] ?? '')
  for (const field of ['external', 'files', 'units', 'modules', 'made', 'elsewhere']) {
    const text = JSON.stringify({ ...stored, [field]: null })
    writeFileSync(file, `${hash('sha256', text)}\n${text}`)
    expect((await compile({ cwd: dir, paths: ['.'] })).reused, field).toBe(0)
    // Saved anew by that compile.
    expect((await compile({ cwd: dir, paths: ['.'] })).reused, field).toBe(150)
  }
})

it('digests files once that were written right before they were first compiled', async () => {
  const dir = makeTree(TREE)
  await compile({ cwd: dir, paths: ['.'] })
  await sleep(100)
  const time = (): number => statSync(join(dir, CACHE)).mtimeMs
  const saved = time()
  await compile({ cwd: dir, paths: ['.'] })
  const renewed = time()
  await compile({ cwd: dir, paths: ['.'] })
  expect([renewed > saved, time()]).toEqual([true, renewed])
})

it('writes the index where only what a manifest says of its plugin changed', async () => {
  const manifest = (description: string): Tree => ({
    'acme/.claude-plugin/plugin.json': JSON.stringify({ name: 'acme', description }),
  })
  const dir = makeTree({ ...manifest('One.'), 'acme/skills/deploy/SKILL.md': skill('deploy') })
  await compile({ cwd: dir, paths: ['.'] })
  writeTree(dir, manifest('Two.'))
  expect((await compile({ cwd: dir, paths: ['.'] })).written).toEqual(['.agent-apps.json'])
  expect(compiled(dir)['.agent-apps.json']).toContain('"description":"Two."')
})
