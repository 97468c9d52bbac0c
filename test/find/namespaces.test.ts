import { rmSync } from 'node:fs'
import { check } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { ONE_WAY, outcome, project, type Way } from '../support/four-ways.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

/** A tool in code, which gives a text. */
function code(name: string, result: string, metadata: object = {}): string {
  return `export const frontmatter = ${JSON.stringify({ name, description: `What ${name} does.`, metadata })}
export default () => ${JSON.stringify(result)}
`
}

/** A middleware that writes a word behind the result. */
function middleware(name: string, word: string): string {
  return `export const frontmatter = ${JSON.stringify({ name, metadata: { role: 'middleware' } })}
export default async ctx => \`\${await ctx.manager.next()} ${word}\`
`
}

function directive(name: string, word: string): string {
  return `export const frontmatter = ${JSON.stringify({
    name,
    metadata: { tags: ['meta-directive-inline'], static: true },
  })}
export default () => ${JSON.stringify(word)}
`
}

const PLUGINS: Tree = {
  'skills/acme/deploy.skill.js': code('deploy', 'acme deploys', { audit: true }),
  'skills/acme/review/SKILL.md': skill('review', 'Acme reviews :stamp[].\n'),
  'skills/acme/audit.skill.js': middleware('audit', 'acme-audited'),
  'skills/acme/stamp.skill.js': directive('stamp', 'by acme'),
  'skills/acme/release.skill.md': skill('release', 'Release.\n', 'metadata:\n  delegate: deploy\n'),
  'skills/acme/calls.skill.js': `export const frontmatter = { name: 'calls', description: 'Calls.' }
export default ctx => ctx.manager.invoke('deploy')
`,
  'skills/acme/heir.skill.js': code('heir', 'acme inherits', { $inherit: 'deploy' }),
  'skills/acme/guest.skill.js': code('guest', 'acme asks beta', { 'beta:audit': true }),
  'skills/beta/deploy.skill.js': code('deploy', 'beta deploys', { audit: true }),
  'skills/beta/heir.skill.js': code('heir', 'beta inherits', { $inherit: 'acme:deploy' }),
  'skills/beta/audit.skill.js': middleware('audit', 'beta-audited'),
  'skills/beta/notes/SKILL.md': skill('notes', 'Beta notes :stamp[].\n'),
  'skills/beta/release.skill.md': skill(
    'release',
    'Release as Beta does.\n',
    'metadata:\n  delegate: deploy\n',
  ),
  'skills/gamma/plain.skill.js': code('plain', 'gamma works', { audit: true }),
  'skills/gamma/guarded.skill.js': code('guarded', 'gamma is guarded', { guard: true }),
  'skills/guard.skill.js': middleware('guard', 'guarded'),
  'skills/review/SKILL.md': skill('review', 'The project reviews :stamp[].\n'),
}

describe.each(ONE_WAY)('two plugins that have tools of the same names, %s', way => {
  const opened = (tree: Tree = PLUGINS) => project(way, tree, undefined, 'folder')

  it('are found by qualified names, and a bare name is the first in search order', async () => {
    const { runtime } = await opened()
    const found = async (ref: string): Promise<string | null> => (await runtime.findTool(ref))?.name ?? null
    expect(await found('acme:deploy')).toBe('acme:deploy')
    expect(await found('beta:deploy')).toBe('beta:deploy')
    expect((await runtime.findTool('beta:deploy'))?.label).toBe('deploy')
    expect(await found('deploy')).toBe('acme:deploy')
    // A tool without a namespace has its bare name itself.
    expect(await found('review')).toBe('review')
    expect(await found('layer://project/beta:deploy')).toBe('beta:deploy')
    expect(await found('layer://project/deploy')).toBe('acme:deploy')
    expect(await found('gamma:deploy')).toBeNull()
    expect(await found('acme:missing')).toBeNull()
    const names = (await runtime.listTools()).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['acme:deploy', 'beta:deploy', 'acme:review', 'review']))
    expect(names).not.toContain('deploy')
  })

  it('run in the middleware of their own plugin, which reaches no other', async () => {
    const { runtime } = await opened()
    expect(await runtime.invoke('acme:deploy')).toBe('acme deploys acme-audited')
    expect(await runtime.invoke('beta:deploy')).toBe('beta deploys beta-audited')
    expect(await runtime.invoke('gamma:plain')).toBe('gamma works')
    // What the project itself has applies everywhere, and what is named with its plugin.
    expect(await runtime.invoke('gamma:guarded')).toBe('gamma is guarded guarded')
    expect(await runtime.invoke('acme:guest')).toBe('acme asks beta beta-audited')
    const chainOf = async (ref: string) => (await runtime.explain(ref)).chain.map(({ name }) => name)
    expect(await chainOf('acme:deploy')).toEqual(['acme:audit'])
    expect(await chainOf('beta:deploy')).toEqual(['beta:audit'])
    expect(await chainOf('gamma:guarded')).toEqual(['guard'])
  })

  it('mean their own tools by bare references', async () => {
    const { runtime } = await opened()
    expect(await runtime.invoke('acme:release')).toBe('acme deploys acme-audited')
    expect(await runtime.invoke('beta:release')).toBe('beta deploys beta-audited')
    expect(await runtime.invoke('acme:calls')).toBe('acme deploys acme-audited')
    expect(await runtime.invoke('acme:heir')).toBe('acme inherits acme-audited')
    // An inherited key means what it means where it is written.
    expect(await runtime.invoke('beta:heir')).toBe('beta inherits acme-audited')
  })

  it('use the directives of their own plugin', async () => {
    const { runtime } = await opened()
    expect(await runtime.render('acme:review')).toBe('Acme reviews by acme.\n')
    expect(await runtime.render('beta:notes')).toBe('Beta notes :stamp[].\n')
    expect(await runtime.render('review')).toBe('The project reviews :stamp[].\n')
  })

  it('are governed by the main skill of their own plugin, and by the project’s', async () => {
    const main = (keys: object) =>
      `---\nname: main\ndescription: Main.\nmetadata: ${JSON.stringify({ role: 'main', ...keys })}\n---\nMain.\n`
    const { runtime } = await opened({
      ...PLUGINS,
      'skills/acme/main.skill.md': main({ $global: { audit: true } }),
      'skills/acme/deep/er/deep.skill.js': code('deep', 'acme is deep'),
      'skills/beta/plain.skill.js': code('plain', 'beta works'),
      'skills/project-main.skill.md': main({ $global: { guard: true } }).replace('name: main', 'name: boss'),
    })
    // The project’s guard is around the plugin’s middleware, too.
    expect(await runtime.invoke('acme:deep')).toBe('acme is deep acme-audited guarded guarded')
    expect(await runtime.invoke('beta:plain')).toBe('beta works guarded')
    const { metadata } = await runtime.explain('acme:deep')
    expect(metadata.audit).toMatchObject({ layer: 'namespace', tool: 'acme:main' })
    expect(metadata.guard).toMatchObject({ layer: 'project', tool: 'boss' })
  })

  it('are admitted by whole names, and forbidden by either', async () => {
    const { runtime } = await opened()
    const called = (ref: string, allowedTools: string) =>
      outcome(runtime.forAgent({ allowedTools }).invoke(ref))
    expect(await called('acme:deploy', 'deploy')).toBe('acme deploys acme-audited')
    expect(await called('deploy', 'deploy')).toBe('acme deploys acme-audited')
    expect(await called('beta:deploy', 'deploy')).toBe('TOOL_DENIED')
    expect(await called('beta:deploy', 'dep*')).toBe('TOOL_DENIED')
    expect(await called('beta:deploy', 'beta:*')).toBe('beta deploys beta-audited')
    expect(await called('acme:deploy', 'beta:*')).toBe('TOOL_DENIED')
    expect(await called('beta:deploy', '*')).toBe('beta deploys beta-audited')
    expect(await called('beta:deploy', '* deploy($deny)')).toBe('TOOL_DENIED')
    expect(await called('acme:deploy', '* beta:deploy($deny)')).toBe('acme deploys acme-audited')
    const listed = await runtime.forAgent({ allowedTools: 'deploy beta:release' }).listTools()
    expect(listed.map(({ name }) => name)).toEqual(['acme:deploy', 'beta:release'])
  })
})

describe.each(ONE_WAY)('copies of a skill, %s', way => {
  it('are listed once, and each found by its own name', { tags: 'long' }, async () => {
    const { runtime } = await project(
      way,
      {
        'skills/acme/deploy/SKILL.md': skill('deploy'),
        'skills/acme/deploy/notes.md': 'Notes.\n',
        'skills/beta/deploy/SKILL.md': skill('deploy'),
        'skills/beta/deploy/notes.md': 'Notes.\n',
        'skills/gamma/deploy/SKILL.md': skill('deploy'),
        'skills/gamma/deploy/notes.md': 'Other notes.\n',
        'skills/acme/review/SKILL.md': skill('review'),
        'skills/review/SKILL.md': skill('review'),
      },
      undefined,
      'folder',
    )
    const listed = (await runtime.listTools()).filter(({ origin }) => origin.layer === 'project')
    expect(listed.map(({ name }) => name)).toEqual(['acme:deploy', 'gamma:deploy', 'review'])
    for (const name of ['acme:deploy', 'beta:deploy', 'gamma:deploy', 'acme:review', 'review'])
      expect((await runtime.findTool(name))?.name).toBe(name)
  })
})

describe('what check says of names that several skills have', () => {
  const found = async (tree: Tree, namespace = 'folder') => {
    const cwd = makeTree(tree)
    const { diagnostics, counts } = await check({ cwd, paths: [{ dir: 'skills', namespace }] })
    return {
      counts,
      diagnostics: diagnostics.map(({ file, line, ruleId, reason }) => [ruleId, `${file}:${line}`, reason]),
    }
  }

  it('tells of each copy in another path entry, with both places, and of nothing else there', async () => {
    const cwd = makeTree({
      'one/deploy/SKILL.md': skill('deploy', 'One.\n'),
      'one/deploy/notes.md': 'Notes.\n',
      'one/lint/SKILL.md': skill('lint', 'One.\n'),
      'two/deploy/SKILL.md': skill('deploy', 'One.\n'),
      'two/deploy/notes.md': 'Notes.\n',
      'two/lint/SKILL.md': skill('lint', 'Two.\n'),
      'three/deploy/SKILL.md': skill('deploy', 'One.\n'),
      'three/deploy/notes.md': 'Other notes.\n',
    })
    const { diagnostics, counts } = await check({ cwd, paths: ['one', 'two', 'three'] })
    expect(counts).toMatchObject({ found: 2, shadowed: 3 })
    expect(diagnostics.map(({ file, ruleId, severity }) => [file, ruleId, severity])).toEqual([
      ['two/deploy/SKILL.md', 'duplicate-copy', 'info'],
    ])
    expect(diagnostics[0]?.reason).toContain('one/deploy/SKILL.md')
  })

  it('names a bare name once, with all its places', async () => {
    const { diagnostics } = await found({
      'skills/acme/deploy/SKILL.md': skill('deploy', 'One.\n'),
      'skills/beta/deploy/SKILL.md': skill('deploy', 'Two.\n'),
      'skills/gamma/tools.skill.md': `${skill('lint', 'Lint.\n\n')}${skill('deploy', 'Three.\n')}`,
    })
    expect(diagnostics).toEqual([
      [
        'name-ambiguous',
        'skills/acme/deploy/SKILL.md:2',
        '"deploy" by itself means "acme:deploy", and is also the name of "beta:deploy" (skills/beta/deploy/SKILL.md:2), "gamma:deploy" (skills/gamma/tools.skill.md:8)',
      ],
    ])
  })

  it('tells of copies with both places, and counts them as shadowed', async () => {
    const { diagnostics, counts } = await found({
      'skills/acme/deploy/SKILL.md': skill('deploy'),
      'skills/beta/deploy/SKILL.md': skill('deploy'),
      'skills/beta/again/SKILL.md': skill('deploy'),
    })
    const copy = 'The skill "deploy" is a copy of skills/acme/deploy/SKILL.md'
    expect(diagnostics.map(([rule, place, reason = '']) => [rule, place, reason.split(',')[0]])).toEqual([
      ['name-differs', 'skills/beta/again/SKILL.md:2', expect.any(String)],
      ['duplicate-copy', 'skills/beta/again/SKILL.md:2', copy],
      ['duplicate-copy', 'skills/beta/deploy/SKILL.md:2', copy],
    ])
    expect(counts).toEqual({ files: 3, found: 1, shadowed: 2, skipped: 0 })
  })

  it('keeps skills of a folder that is not a namespace from loading', async () => {
    const { diagnostics, counts } = await found({
      'skills/Acme Inc/deploy/SKILL.md': skill('deploy'),
      'skills/file/deploy/SKILL.md': skill('deploy'),
    })
    expect(diagnostics.map(([rule]) => rule)).toEqual(['namespace-invalid', 'namespace-invalid'])
    expect(counts.found).toBe(0)
  })
})

it('a broken link in a folder that is not a namespace leaves the index to the others', async () => {
  const tree: Tree = {
    'skills/My Folder/gone/SKILL.md': { link: 'nowhere' },
    'skills/acme/deploy/SKILL.md': skill('deploy'),
  }
  const { runtime } = await project('compiled, files looked at', tree, undefined, 'folder')
  await runtime.listTools()
  expect(runtime.diagnostics().map(({ rule }) => rule)).not.toContain('index-refused')
  expect((await runtime.findTool('deploy'))?.origin.via).toBe('index')
})

describe.each(['from disk', 'compiled, files looked at'] satisfies Way[])('while files change, %s', way => {
  it('falls back to the next tool of a bare name', { tags: 'long' }, async () => {
    const { runtime, cwd } = await project(way, PLUGINS, undefined, 'folder')
    expect((await runtime.findTool('deploy'))?.name).toBe('acme:deploy')
    rmSync(`${cwd}/skills/acme`, { recursive: true })
    expect((await runtime.findTool('deploy'))?.name).toBe('beta:deploy')
    expect(await runtime.findTool('acme:deploy')).toBeNull()
  })
})
