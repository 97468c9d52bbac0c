import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { registerTool } from 'agent-apps'
import { beforeAll, describe, expect, it } from 'vitest'
import { code, text } from '../support/cascade-project.js'
import { agentApps } from '../support/commands.js'
import { ONE_WAY, type Project, project } from '../support/four-ways.js'
import { some } from '../support/long.js'
import type { Tree } from '../support/tree.js'

interface Form {
  /** The reference as a file in `skills` writes it. */
  ref: (cwd: string) => string
  leadsTo: 'one' | 'two' | 'three'
}

const uri = (cwd: string): string => pathToFileURL(join(cwd, 'skills/pair.skill.md')).href
const FORMS: Record<string, Form> = {
  'a bare name': { ref: () => 'one', leadsTo: 'one' },
  'a path': { ref: () => './pair.skill.md', leadsTo: 'one' },
  'a path with a fragment': { ref: () => './pair.skill.md#two', leadsTo: 'two' },
  'a file URI': { ref: uri, leadsTo: 'one' },
  'a file URI with a fragment': { ref: cwd => `${uri(cwd)}#two`, leadsTo: 'two' },
  'a URI that a registered tool has': { ref: () => 'mcp://server/three', leadsTo: 'three' },
}
const slug = (form: string): string => form.replaceAll(' ', '-').toLowerCase()

function treeAt(cwd: string): Tree {
  const one = text('one', { note: 'of one' }, 'The text of one.\n\n')
  const tree: Tree = {
    'skills/pair.skill.md': `${one}${text('two', { note: 'of two' }, 'The text of two.\n')}`,
    'skills/caller.skill.js': code(
      'caller',
      { params: { type: 'object' } },
      'return ctx.manager.invoke(args.ref)',
    ),
  }
  for (const [form, { ref }] of Object.entries(FORMS)) {
    const name = slug(form)
    tree[`skills/${name}.skill.md`] = text(
      name,
      { $inherit: ref(cwd) },
      `:skill[${ref(cwd)}] and :tool[${ref(cwd)}]\n`,
    )
    tree[`skills/${name}-delegate.skill.md`] = text(`${name}-delegate`, { delegate: ref(cwd) })
  }
  return tree
}

describe.each(ONE_WAY)('a reference, %s', way => {
  let made: Project
  beforeAll(async () => {
    made = await project(way, treeAt)
    registerTool(made.runtime.globals, {
      name: 'three',
      src: 'mcp://server/three',
      metadata: { note: 'of three' },
      fn: () => 'The text of three.\n',
    })
  })

  // A bundle lies nowhere, so that nothing in it has a file URI.
  const forms = Object.entries(FORMS).filter(([form]) => way !== 'in a bundle' || !form.startsWith('a file'))
  it.each(forms)('by %s leads to one tool, wherever it stands', async (form, { ref, leadsTo }) => {
    const { cwd, runtime } = made
    const result = new RegExp(`^The text of ${leadsTo}\\.\\n+$`)
    const fromCwd = ref(cwd).replace('./', './skills/')
    expect((await runtime.findTool(fromCwd))?.name).toBe(leadsTo)
    expect(await runtime.invoke(fromCwd)).toMatch(result)
    expect(await runtime.invoke('caller', { ref: fromCwd })).toMatch(result)
    expect(await runtime.invoke(`${slug(form)}-delegate`)).toMatch(result)
    expect((await runtime.explain(slug(form))).metadata.note?.value).toBe(`of ${leadsTo}`)
    expect(await runtime.invoke(slug(form))).toBe(`${leadsTo} and ${leadsTo}\n`)
  })
})

// What the command is given stands in no file, and it registers nothing.
const TO_FILES = Object.entries(FORMS).filter(([, { leadsTo }]) => leadsTo !== 'three')
describe.each(some(['compiled, trusted', 'from disk'] as const))('the command, %s', way => {
  it('takes any reference', async () => {
    const { cwd } = await project(way, treeAt)
    for (const [form, { ref, leadsTo }] of TO_FILES) {
      const { stdout } = await agentApps(cwd, ['run', ref(cwd).replace('./', './skills/'), '--quiet'])
      expect([form, stdout.trim()]).toEqual([form, `The text of ${leadsTo}.`])
    }
  })
})

/** What is not a name: with a slash, a backslash, uppercase or an underscore, a hyphen at an end or doubled, too long. */
const PATHS = ['deep/er', 'Upper', 'under_score', '-before', 'after-', 'a--b', 'x'.repeat(201), 'back\\slash']
const LONGEST = 'y'.repeat(200)

// A bundle has no working directory.
describe.each(ONE_WAY.filter(way => way !== 'in a bundle'))('what is not a bare name, %s', way => {
  let made: Project
  beforeAll(async () => {
    made = await project(way, {
      ...Object.fromEntries(PATHS.map((path, number) => [`${path}/SKILL.md`, text(`path-${number}`)])),
      [`skills/${LONGEST}/SKILL.md`]: text(LONGEST),
    })
  })

  it.each(PATHS)('%j is a path from the working directory', async path => {
    const tool = await made.runtime.findTool(path)
    expect(tool?.name).toBe(`path-${PATHS.indexOf(path)}`)
    expect((await made.runtime.findTool(join(made.cwd, path)))?.src).toBe(tool?.src)
  })

  it('200 characters are a bare name', async () => {
    expect((await made.runtime.findTool(LONGEST))?.name).toBe(LONGEST)
  })
})

it.each(['mcp://server/own', 'inline://code,own', 'file:///nowhere/own.skill.md'])(
  'the URI %s is that of a registered tool before all else',
  async src => {
    const { runtime } = await project('from disk', {})
    registerTool(runtime.globals, { name: 'own', src, fn: () => 'Ours.' })
    expect(await runtime.findTool(src)).toBe(await runtime.findTool('own'))
    expect(await runtime.invoke(src)).toBe('Ours.')
  },
)
