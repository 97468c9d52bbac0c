import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, type RuntimeOptions } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { makeTree, type Tree } from '../support/tree.js'

const skill = (name: string, metadata = ''): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${metadata}---\nHow to ${name}.\n`

const PLAIN: Tree = {
  'skills/plain/SKILL.md': skill('plain', 'metadata:\n  author: Ada\n'),
  'skills/other/SKILL.md': skill('other'),
}

const WITHOUT: RuntimeOptions = { paths: ['skills'], library: false, freshness: 'trust' }

describe('a runtime without the library, of skills that were compiled with it', () => {
  it('resolves no cascades where there are none', async () => {
    const cwd = makeTree(PLAIN)
    await compile({ cwd, paths: ['skills'] })
    const runtime = createRuntime({ cwd, ...WITHOUT })
    expect(await runtime.invoke('plain')).toBe('How to plain.\n')
    expect(runtime.stats().cascadesComputed).toBe(0)
  })

  it('still resolves none after a compile that changed a text alone', async () => {
    const cwd = makeTree(PLAIN)
    await compile({ cwd, paths: ['skills'] })
    const { ownCascadeKey } = headerIn(cwd)
    writeFileSync(join(cwd, 'skills/other/SKILL.md'), `${skill('other')}More.\n`)
    await compile({ cwd, paths: ['skills'] })
    expect(headerIn(cwd)).toMatchObject({ ownCascadeKey })
    expect(ownCascadeKey).toMatch(/^[0-9a-f]{64}$/)
    const runtime = createRuntime({ cwd, ...WITHOUT })
    expect(await runtime.invoke('other')).toBe('How to other.\nMore.\n')
    expect(runtime.stats().cascadesComputed).toBe(0)
  })

  it('resolves them where the project has some', async () => {
    const cwd = makeTree({
      ...PLAIN,
      'skills/quick/SKILL.md': skill('quick', 'metadata:\n  timeout: 5000\n'),
    })
    await compile({ cwd, paths: ['skills'] })
    expect(headerIn(cwd)).not.toHaveProperty('ownCascadeKey')
    const runtime = createRuntime({ cwd, ...WITHOUT })
    expect(await runtime.invoke('quick')).toBe('How to quick.\n')
    expect(runtime.stats().cascadesComputed).toBe(1)
    expect((await runtime.explain('quick')).chain).toEqual([])
  })
})

function headerIn(cwd: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(cwd, 'skills/.agent-apps.json'), 'utf8'))
}
