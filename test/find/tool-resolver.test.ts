import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime, isAgentAppsError } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { describesEntry } from '../../compiler/1-read/markdown/parse-file.js'
import { readSkills } from '../../compiler/1-read/read-skills.js'
import { walk } from '../../compiler/1-read/walk/walk.js'
import { linkDirectory } from '../../compiler/2-resolve/link/link.js'
import { ignoreMatcher } from '../../compiler/project/ignore-matcher.js'
import type { LinkedPart } from '../../compiler/project/project.js'
import { ReferenceTargets } from '../../compiler/project/reference-targets.js'
import { absoluteReference } from '../../compiler/project/tool-resolver.js'
import { searchDirectories } from '../../src/skill/path-entry.js'
import { makeTree, skill } from '../support/tree.js'

const BROKEN = '---\nname: broken\ndescription: Broken.\nlicense: [\n---\n'

const TREE = {
  'first/review/SKILL.md': skill('review'),
  'first/pair.skill.md': `${skill('pair-one', 'One.\n\n')}${skill('pair-two', 'Two.\n')}`,
  'first/broken/SKILL.md': BROKEN,
  'first/broken.skill.md': BROKEN.replace('name: broken', 'name: fault'),
  'first/mixed.skill.md': `${skill('sound', 'Sound.\n\n')}${BROKEN.replace('name: broken', 'name: unsound')}`,
  'first/nested/deep/inner.skill.md': skill('inner'),
  'first/with space/SKILL.md': skill('with-space'),
  'first/lost.skill.md': { link: 'nowhere' },
  'first/notes.md': 'Notes.\n',
  'second/review/SKILL.md': skill('review'),
  'second/broken/SKILL.md': skill('broken'),
  'second/only/SKILL.md': skill('only'),
  'theirs/review/SKILL.md': skill('review'),
  'theirs/foreign.skill.md': skill('foreign'),
  'global/review/SKILL.md': skill('review'),
  'global/unsaid/SKILL.md': BROKEN.replace('name: broken', 'name: unsaid'),
  'global/shared/SKILL.md': skill('shared'),
}

const PATHS = [
  'first',
  'second',
  { dir: 'theirs', external: true },
  { dir: 'global', layer: 'global' as const },
]

const NAMES = [
  'review',
  'pair-two',
  'broken',
  'fault',
  'unsound',
  'sound',
  'inner',
  'only',
  'foreign',
  'shared',
  'unsaid',
]

const PATH_REFERENCES = [
  './first/review',
  './first/review/',
  './first/review/SKILL.md',
  './first/../second/review/SKILL.md',
  './first/review#review',
  './first/review#only',
  './first/pair.skill.md',
  './first/pair.skill.md#pair-one',
  './first/pair.skill.md#pair-two',
  './first/pair.skill.md#pair-three',
  './first/broken',
  './first/broken/SKILL.md',
  './first/broken.skill.md',
  './first/broken.skill.md#fault',
  './first/broken.skill.md#other',
  './first/mixed.skill.md',
  './first/mixed.skill.md#sound',
  './first/mixed.skill.md#other',
  './first/nested/deep/inner.skill.md',
  './first/nested',
  './first/with space',
  './first/lost.skill.md',
  './first/notes.md',
  './first/none.skill.md',
  './theirs/foreign.skill.md',
  './global/shared',
  './global/unsaid',
  './nowhere',
  '..',
]

const OTHERS = [
  '',
  'none',
  'https://example.com/review',
  'layer://project',
  'layer://none/review',
  'file://host/x',
]

describe.each([
  ['indexes', true],
  ['files', false],
])('the compiler’s resolver finds what `findTool` finds in %s', (_, isCompiled) => {
  let cwd = ''
  let parts: LinkedPart[] = []
  let targets: ReferenceTargets

  beforeAll(async () => {
    cwd = makeTree(TREE)
    parts = await linkedParts(cwd)
    targets = new ReferenceTargets(parts)
    if (isCompiled) for (const { directory } of parts) await compile({ cwd, paths: [directory.dir] })
  })

  it.each(NAMES)('%s', async name => {
    const layers = ['project', 'global', 'bundled'].map(layer => `layer://${layer}/${name}`)
    for (const ref of [name, ...layers]) expect([ref, resolved(ref)]).toEqual([ref, await found(ref)])
  })

  it.each(PATH_REFERENCES)('%s', async ref => {
    const [path = '', fragment] = ref.split('#')
    const suffix = fragment === undefined ? '' : `#${fragment}`
    for (const one of [ref, join(cwd, path) + suffix, pathToFileURL(join(cwd, path)).href + suffix])
      expect([one, resolved(one)]).toEqual([one, await found(one)])
  })

  it.each(OTHERS)('%j', async ref => {
    expect(resolved(ref)).toEqual(await found(ref))
  })

  it('which are tools, broken ones and nothing', () => {
    expect([...NAMES, ...PATH_REFERENCES].map(resolved).filter(one => one?.includes('#'))).toHaveLength(21)
    expect(PATH_REFERENCES.map(resolved).filter(one => one === 'broken')).toHaveLength(7)
  })

  /** The tool that the compiler's resolver finds: its directory, file and name. */
  function resolved(ref: string): string | null {
    const tool = targets.tools.find(absoluteReference(ref, cwd))
    const part = tool && parts[tool.directory]
    const named = tool && part?.linked.names.get(tool.name)
    if (!named) return null
    return named.broken ? 'broken' : `${part?.directory.shown}/${named.unit.path}#${tool.name}`
  }

  /** The tool that a runtime finds: its directory, file and name. */
  async function found(ref: string): Promise<string | null> {
    const runtime = createRuntime({ cwd, paths: PATHS, freshness: 'trust' })
    try {
      const tool = await runtime.findTool(ref)
      if (tool) return `${tool.origin.entry.slice(cwd.length + 1)}/${tool.origin.file}#${tool.name}`
      // `findTool` gives null for a broken name as for a missing one; a call tells them apart.
      await runtime.invoke(ref, {})
      return 'called'
    } catch (error) {
      const code = isAgentAppsError(error) ? error.code : String(error)
      return code === 'TOOL_BROKEN' ? 'broken' : code === 'TOOL_NOT_FOUND' ? null : code
    } finally {
      await runtime.close()
    }
  }
})

function linkedParts(cwd: string): Promise<LinkedPart[]> {
  return Promise.all(
    searchDirectories(PATHS).map(async ({ dir: shown, ...entry }) => {
      const dir = join(cwd, shown)
      const isIgnored = ignoreMatcher([])
      const { skills, skipped } = walk(dir, { isIgnored, describesEntry })
      const { units } = await readSkills(dir, skills, null, { walkedAt: 0 })
      const directory = {
        ...entry,
        dir,
        shown,
        isIgnored,
        isSearched: () => true,
        mayBeEmpty: false,
        externalPackages: [],
        hasSearch: true,
        embedder: null,
      }
      return { directory, linked: linkDirectory(units, { skills, skipped }) }
    }),
  )
}
