import { appendFileSync, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, registerTool } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { answering, code } from '../support/asking.js'
import { isLong } from '../support/long.js'
import { runCode } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { setTimes, skill, type Tree, writeTree } from '../support/tree.js'

/** A gated skill that is made of one file of each kind. */
const TREE: Tree = {
  'package.json': '{"type":"module"}\n',
  'skills/deploy/SKILL.md': `---
name: deploy
description: Deploys.
metadata:
  gated: true
  params: { type: object }
  $inherit: base
  delegate: ./run.js
  audit: { level: 1 }
  timeout: 5000
---
Deploy it.
`,
  'skills/deploy/notes.txt': 'notes\n',
  'skills/deploy/run.js':
    "import { word } from './lib/words.js'\nimport { other } from '../../shared/outside.js'\nexport default () => word + other\n",
  'skills/deploy/lib/words.js': "export const word = 'deployed'\n",
  'shared/outside.js': "export const other = '!'\n",
  'skills/audit.skill.js':
    "import { log } from './audit-lib.js'\nexport const frontmatter = { name: 'audit', role: 'middleware', metadata: { role: 'middleware' } }\nexport default () => log()\n",
  'skills/audit-lib.js': 'export const log = () => undefined\n',
  'skills/base.skill.md': '---\nname: base\ndescription: A base.\nmetadata: { colour: red }\n---\nBase.\n',
  'skills/called.skill.md':
    '---\nname: called\ndescription: Delegates.\nmetadata: { gated: true, delegate: target, params: { type: object } }\n---\nCalls.\n',
  'skills/target.skill.js':
    "export const frontmatter = { name: 'target', description: 'Runs.', metadata: { params: { type: 'object' } } }\nexport default () => 'target ran'\n",
  'skills/unrelated.skill.md': '---\nname: unrelated\ndescription: Nothing to do with it.\n---\nText.\n',
}

const WAYS = ['from disk', 'compiled, files looked at', 'compiled, trusted', 'in a bundle'] as const

const NAMES = ['deploy', 'called', 'unrelated']

type Way = (typeof WAYS)[number]

/** The digests that a process of its own gives for requests of these tools, each way in a project that was made so. */
function digests(projects: readonly (readonly [way: Way, cwd: string])[]): [Way, Record<string, string>][] {
  const runtimes = projects.map(([way, cwd]) => {
    const options = { cwd, paths: ['skills'], freshness: way === 'compiled, trusted' ? 'trust' : 'check' }
    return way === 'in a bundle'
      ? `(await import(${JSON.stringify(join(cwd, 'dist/agent.mjs'))})).runtime`
      : `(await import('agent-apps')).createRuntime(${JSON.stringify(options)})`
  })
  const found = JSON.parse(
    runCode(`const found = []
for (const runtime of [${runtimes}]) {
  const agent = runtime.forAgent({ rules: 'unrelated' })
  const digests = {}
  for (const name of ${JSON.stringify(NAMES)}) digests[name] = (await agent.authorize(name)).request.digest
  found.push(digests)
}
console.log(JSON.stringify(found))`),
  ) as Record<string, string>[]
  return projects.map(([way], at) => [way, found[at] ?? {}])
}

/** Those that this process gives. */
async function digestsHere(cwd: string): Promise<Record<string, string | undefined>> {
  const agent = createRuntime({ cwd, paths: ['skills'] }).forAgent({ rules: 'unrelated' })
  const found: Record<string, string | undefined> = {}
  for (const name of NAMES) found[name] = (await agent.authorize(name)).request?.digest
  return found
}

async function made(way: Way, more: Tree = {}): Promise<string> {
  const cwd = temporary()
  writeTree(cwd, { ...TREE, ...more })
  setTimes(cwd)
  if (way === 'in a bundle') {
    await compile({ cwd, paths: ['skills'], bundle: 'dist/agent.mjs' })
    rmSync(join(cwd, 'skills'), { recursive: true })
  } else if (way !== 'from disk') await compile({ cwd, paths: ['skills'] })
  return cwd
}

describe('the digest that an approval is bound to', () => {
  it('is the same from disk, from an index and from a bundle', { tags: 'long' }, async () => {
    const found = digests(await Promise.all(WAYS.map(async way => [way, await made(way)] as const)))
    const [[, first] = []] = found
    expect(found).toEqual(WAYS.map(way => [way, first]))
    expect(Object.values(first ?? {}).every(digest => /^[0-9a-f]{64}$/.test(String(digest)))).toBe(true)
  })

  it.runIf(isLong)('is the same where an index is in several files', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`skills/more/s${index}.skill.md`, skill(`s${index}`)]),
    )
    const [[, few] = []] = digests([['compiled, trusted', await made('compiled, trusted')]])
    const ways = ['compiled, files looked at', 'compiled, trusted', 'in a bundle'] as const
    const found = digests(await Promise.all(ways.map(async way => [way, await made(way, many)] as const)))
    expect(found).toEqual(ways.map(way => [way, few]))
  })

  it('changes with every file that the tool is made of, and with no other', async () => {
    const cwd = await made('from disk')
    const before = await digestsHere(cwd)
    const changed: Record<string, string[]> = {}
    for (const file of Object.keys(TREE)) {
      const copy = temporary()
      cpSync(cwd, copy, { recursive: true })
      appendFileSync(join(copy, file), file.endsWith('.js') ? '// edited\n' : '\n')
      const after = await digestsHere(copy)
      changed[file] = Object.keys(after).filter(name => after[name] !== before[name])
    }
    expect(changed).toEqual({
      'package.json': [],
      'skills/deploy/SKILL.md': ['deploy'],
      'skills/deploy/notes.txt': ['deploy'],
      'skills/deploy/run.js': ['deploy'],
      'skills/deploy/lib/words.js': ['deploy'],
      'shared/outside.js': ['deploy'],
      'skills/audit.skill.js': ['deploy'],
      'skills/audit-lib.js': ['deploy'],
      'skills/base.skill.md': ['deploy'],
      'skills/called.skill.md': ['called'],
      'skills/target.skill.js': ['called'],
      'skills/unrelated.skill.md': ['unrelated'],
    })
  })

  // hermes#9922: what was approved once ran after it had been edited.
  it.each(['from disk', 'compiled, files looked at'] as const)(
    'asks again after an edit of any of them, %s',
    { tags: 'long' },
    async way => {
      const cwd = await made(way)
      const { interact, requests } = answering(Array(20).fill('allow-session'))
      const agent = createRuntime({ cwd, paths: ['skills'], freshness: 'check', interact }).forAgent()
      expect(await agent.invoke('deploy')).toBe('deployed!')
      expect(await agent.invoke('deploy')).toBe('deployed!')
      expect(requests).toHaveLength(1)
      const files = Object.keys(TREE).filter(file => /deploy|shared|audit|base/.test(file))
      for (const [index, file] of files.entries()) {
        appendFileSync(join(cwd, file), file.endsWith('.js') ? '// edited\n' : '\n')
        expect(await agent.invoke('deploy')).toBe('deployed!')
        expect([file, requests.length]).toEqual([file, index + 2])
      }
    },
  )

  it('is looked at again once the answer is there: what was edited meanwhile is another question', async () => {
    const cwd = await made('from disk')
    const seen: string[] = []
    const runtime = createRuntime({
      cwd,
      paths: ['skills'],
      freshness: 'check',
      interact: request => {
        seen.push((request as { digest: string }).digest)
        if (seen.length === 1) appendFileSync(join(cwd, 'skills/deploy/run.js'), '// edited\n')
        return seen.length === 1 ? 'allow-session' : 'deny'
      },
    })
    expect(await code(runtime.forAgent().invoke('deploy'))).toBe('APPROVAL_DENIED')
    expect(new Set(seen).size).toBe(2)
  })

  it('of a registered function, or with one around the tool, is that of its registration', async () => {
    const cwd = await made('compiled, trusted')
    const { interact, requests } = answering(Array(5).fill('allow-session'))
    const runtime = createRuntime({ cwd, paths: ['skills'], freshness: 'check', interact })
    const audit = { name: 'audit', role: 'middleware' as const, fn: () => undefined }
    registerTool(runtime.globals, audit)
    const agent = runtime.forAgent()
    await agent.invoke('deploy')
    await agent.invoke('deploy')
    expect(requests).toHaveLength(1)
    registerTool(runtime.globals, audit)
    await agent.invoke('deploy')
    expect(requests).toHaveLength(2)
  })
})
