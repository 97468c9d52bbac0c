import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { oneIn } from '../support/long.js'
import { openWorkspace, refusalOf } from '../support/open-workspace.js'
import { makeTree, skill } from '../support/tree.js'

/** Files that no tool writes unless the host says so. */
const CONTROL = [
  '.git/config',
  '.git/hooks/pre-commit',
  '.GIT/config',
  '.g\u200Cit/config',
  'module/.git',
  'GIT~1/config',
  '.agent-apps.json',
  '.agent-apps/module-ABCDEFGH.mjs',
  'agent-apps.config.ts',
  'sub/agent-apps.config.json',
  '.mcp.json',
  'sub/.mcp.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/commands/deploy.md',
  '.Claude/Settings.json',
  '.vscode/tasks.json',
  '.vscode/settings.json',
  '.cursor/mcp.json',
  '.devcontainer/devcontainer.json',
  '.idea/workspace.xml',
  '.zed/tasks.json',
  'sub/.zed/settings.json',
  'app.code-workspace',
  'sub/App.Code-Workspace',
  '.qwen/settings.json',
  '.crush.json',
  'crush.json',
  '.aider.conf.yml',
  'sub/.aider.model.settings.yml',
  '.clinerules',
  '.clinerules/hooks/PreToolUse',
  '.windsurfrules',
  '.roomodes',
  '.trae/mcp.json',
  '.github/agents/reviewer.agent.md',
  '.github/hooks/hooks.json',
  '.claude/output-styles/terse.md',
  '.claude/statusline.sh',
  '.exrc',
  '.nvim.lua',
  '.husky/pre-commit',
]

/** Files that look alike, and are as others. */
const PLAIN = [
  '.gitignore',
  '.github/workflows/ci.yml',
  'git/config',
  'claude/settings.json',
  '.vscode/notes.md',
  'AGENTS.md',
  '.github/CODEOWNERS',
  'code-workspace',
  'crush/a.json',
  '.aider.chat.history.md',
  'husky/pre-commit',
  'zed/tasks.json',
]

const SECRETS = [
  '.env',
  '.env.local',
  'config/.env.production',
  'server.pem',
  'id_rsa',
  '.npmrc',
  'SERVER.KEY',
  'service-account.json',
  'serviceAccountKey.json',
  'keys/serviceAccountKey-prod.json',
  'app-firebase-adminsdk-x1y2z-0a1b2c.json',
  '.git/modules/lib/config',
  '.aws/credentials',
  'home/.docker/config.json',
  '.kube/config',
  '.cargo/credentials.toml',
  '.cargo/credentials',
  '.gem/credentials',
  '.config/gh/hosts.yml',
  '.dev.vars',
  '.dev.vars.production',
  'terraform.tfstate',
  'infra/terraform.tfstate.backup',
  '.env~',
  '.npmrc.bak',
  'server.key.old',
  '.kube/config.bak~',
]

/** Files that look alike, and are read and shown. */
const NO_SECRETS = [
  '.env.example',
  '.env.local.sample',
  '.dev.vars.example',
  'example.env~',
  'id_rsa.pub',
  'aws/credentials',
  'docker/config.json',
  'config.json',
  '.cargo/config.toml',
  'service-accounts.md',
  'state.tf',
  'notes.bak',
]

describe('protected files', () => {
  it.each(oneIn(3, CONTROL))('%s is not written', async path => {
    const { root, refusal } = openWorkspace()
    expect(await refusal('write', { path, content: '' })).toBe('FILE_PROTECTED')
    expect(existsSync(join(root, path))).toBe(false)
    expect(await refusal('write', { path: `x/../${path}`, content: '' })).toBe('FILE_PROTECTED')
    expect(await refusal('write', { path: join(root, path), content: '' })).toBe('FILE_PROTECTED')
  })

  it.each(oneIn(3, PLAIN))('%s is written', async path => {
    const { refusal } = openWorkspace()
    expect(await refusal('write', { path, content: 'text' })).toBeNull()
  })

  it.each(['.git/hooks/pre-commit', '.zed/tasks.json'])(
    '%s is not edited, even through a link',
    async path => {
      const { root, call, refusal } = openWorkspace({
        'link.txt': { link: path },
        folder: { link: dirname(path) },
      })
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), 'one')
      await call('read', { path: 'link.txt' })
      expect(await refusal('edit', { path: 'link.txt', old: 'one', new: 'two' })).toBe('FILE_PROTECTED')
      expect(await refusal('write', { path: 'folder/new', content: '' })).toBe('FILE_PROTECTED')
      expect(readFileSync(join(root, path), 'utf8')).toBe('one')
    },
  )

  it('is not what a link in its place leads to', async () => {
    const { refusal } = openWorkspace({ '.mcp.json': { link: 'plain.json' }, 'plain.json': '{}' })
    expect(await refusal('write', { path: '.mcp.json', content: '' })).toBe('FILE_PROTECTED')
  })

  it('are written where the host lists them', async () => {
    const { refusal } = openWorkspace({}, { write: ['.vscode/*.json', '**/.mcp.json'] })
    expect(await refusal('write', { path: '.vscode/tasks.json', content: '' })).toBeNull()
    expect(await refusal('write', { path: 'a/b/.mcp.json', content: '' })).toBeNull()
    expect(await refusal('write', { path: '.claude/settings.json', content: '' })).toBe('FILE_PROTECTED')
  })

  it('are neither read nor shown, and those that look alike are', async () => {
    const { call, refusal } = openWorkspace(
      Object.fromEntries([...SECRETS, ...NO_SECRETS].map(path => [path, 'NEEDLE'])),
    )
    for (const path of SECRETS)
      expect([path, await refusal('read', { path })]).toEqual([path, 'FILE_PROTECTED'])
    for (const path of NO_SECRETS)
      expect([path, await call('read', { path })]).toMatchObject([path, { output: '     1\tNEEDLE' }])
    const { output } = await call('grep', { pattern: 'NEEDLE' })
    const shown = String(output)
      .split('\n')
      .filter(line => line !== '' && line !== '1:NEEDLE')
    expect(shown.sort()).toEqual([...NO_SECRETS].sort())
  })

  it.each(oneIn(9, SECRETS))('%s is neither read nor shown', async path => {
    const { call, refusal } = openWorkspace({
      [path]: 'NEEDLE',
      'link.txt': { link: path },
      'plain.txt': 'NEEDLE',
    })
    expect(await refusal('read', { path })).toBe('FILE_PROTECTED')
    expect(await refusal('read', { path: 'link.txt' })).toBe('FILE_PROTECTED')
    expect(await refusal('grep', { pattern: 'NEEDLE', path })).toBe('FILE_PROTECTED')
    expect((await call('grep', { pattern: 'NEEDLE' })).output).toBe('plain.txt\n1:NEEDLE')
    expect((await call('grep', { pattern: 'NEEDLE', glob: path })).output).toBe('[No matches.]')
    expect((await call('glob', { pattern: '**' })).output).toMatch(
      /^(?:plain\.txt|\.keep)\n(?:plain\.txt|\.keep)$/,
    )
    const name = path.split('/').at(-1) ?? ''
    expect((await call('list', { depth: 9 })).output).not.toContain(name)
    expect(await call('read', { path: `${path}x` }).catch(({ hint }) => hint)).not.toContain(name)
  })

  it('are those of Git, which nothing shows', async () => {
    const { refusal } = openWorkspace({ '.git/config': 'url = https://user:token@host', '.git/HEAD': 'ref' })
    expect(await refusal('read', { path: '.git/config' })).toBe('FILE_PROTECTED')
    expect(await refusal('read', { path: '.git/HEAD' })).toBeNull()
  })

  it('are those of a workspace that is such a folder itself', async () => {
    const cwd = makeTree({ '.aws/credentials': 'NEEDLE', '.aws/config': 'plain' })
    const runtime = createRuntime({ cwd, paths: [], workspace: '.aws' })
    const read = (path: string) => refusalOf(runtime.invoke('read', { path }))
    expect(await read('credentials')).toBe('FILE_PROTECTED')
    expect(await read('config')).toBeNull()
    expect(await runtime.invoke('list')).toMatchObject({ output: './\n  config' })
  })

  it('are read where the host lists them', async () => {
    const { call, refusal } = openWorkspace(
      { '.env.test': 'NEEDLE', '.env': 'NEEDLE' },
      { read: ['.env.test'] },
    )
    expect(await call('read', { path: '.env.test' })).toMatchObject({ output: '     1\tNEEDLE' })
    expect(await refusal('read', { path: '.env' })).toBe('FILE_PROTECTED')
    expect((await call('glob', { pattern: '.env*' })).output).toBe('.env.test')
    expect((await call('grep', { pattern: 'NEEDLE' })).output).toBe('.env.test\n1:NEEDLE')
  })
})

describe('skills', () => {
  const tree = { 'ws/skills/review/SKILL.md': skill('review'), 'ws/src/a.txt': '' }
  const opened = (paths: string[], options = {}) => {
    const cwd = makeTree(tree)
    const runtime = createRuntime({ cwd, paths, workspace: { root: 'ws', ...options } })
    return (path: string) => refusalOf(runtime.invoke('write', { path, content: 'text' }))
  }

  it('are not written in the directories of path entries', async () => {
    const write = opened(['ws/skills', 'ws/later'])
    for (const path of [
      'skills/new.skill.js',
      'skills/review/helper.js',
      'skills/notes.txt',
      'later/new.skill.js',
    ])
      expect(await write(path), path).toBe('FILE_PROTECTED')
    expect(await write('src/b.skill.js')).toBeNull()
  })

  it('are not written where a path entry is around the workspace', async () => {
    const write = opened(['ws'])
    for (const path of [
      'skills/review/helper.js',
      'src/new.skill.js',
      'src/SKILL.md',
      'SKILL.md',
      'a/skill.MD',
    ])
      expect(await write(path), path).toBe('FILE_PROTECTED')
    expect(await write('src/b.txt')).toBeNull()
    expect(await write('skills/notes.txt')).toBeNull()
  })

  it('are written where the host says so', async () => {
    const write = opened(['ws/skills'], { skills: true })
    expect(await write('skills/new.skill.js')).toBeNull()
    expect(await write('.git/config')).toBe('FILE_PROTECTED')
  })
})
