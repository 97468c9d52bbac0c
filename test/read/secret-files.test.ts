import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime } from 'agent-apps'
import { check, compile, type Message } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { parseSkill } from '../../compiler/1-read/read-skills.js'
import { FILE_START, finding } from '../../compiler/diagnostics/diagnostics.js'
import { WHOLE } from '../../compiler/records/unit.js'
import { codeProject } from '../support/code-project.js'
import { isLong, oneIn } from '../support/long.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

const SECRET = 'Nobody-may-read-this'
const KEY = `-----BEGIN RSA PRIVATE KEY-----\n${SECRET}\n-----END RSA PRIVATE KEY-----\n`

const NAMES = [
  '.env',
  '.ENV',
  '.env.local',
  'prod.env',
  '.envrc',
  '.netrc',
  '.npmrc',
  '.NPMRC',
  '.pypirc',
  '.dockercfg',
  '.htpasswd',
  'putty.ppk',
  'Server.PEM',
  'id_rsa',
  'id_rsa.bak',
  'id_ed25519.old',
  'service-account.json',
  'serviceAccountKey.json',
  '.env~',
  '.npmrc.bak',
  '.dev.vars',
  'prod.tfstate',
]
const KEYS: Tree = {
  'key.txt': KEY,
  deploy: KEY.replaceAll('RSA ', ''),
  'ssh.md': KEY.replaceAll('RSA', 'OPENSSH'),
  'locked.txt': KEY.replaceAll('RSA', 'ENCRYPTED'),
}
const SOUND: Tree = {
  '.env.example': 'A=',
  'example.env': 'A=',
  'id_rsa.pub': 'ssh-rsa AAAA',
  'aws/credentials.md': 'See .aws.',
  'environment.md': 'E.',
  'cert.txt': '-----BEGIN CERTIFICATE-----',
  'about-keys.md': 'Begin with -----BEGIN RSA PRIVATE KEY-----',
}

const below = (folder: string, tree: Tree): Tree =>
  Object.fromEntries(Object.entries(tree).map(([path, item]) => [`${folder}/${path}`, item]))

/** A folder skill with all of these as its files. */
const project = (more: Tree = {}) =>
  codeProject({
    ...below('skills/review', {
      'SKILL.md': skill('review'),
      ...Object.fromEntries(NAMES.map(name => [name, SECRET])),
      ...KEYS,
      ...SOUND,
    }),
    ...below('skills', more),
  })

const warned = (diagnostics: Message[]): string[] =>
  diagnostics
    .filter(({ ruleId }) => ruleId === 'secret-file')
    .map(({ reason }) => /"([^"]*)"/.exec(reason)?.[1] ?? '')

/** All that lies in a folder, as one text. */
const textIn = (folder: string): string =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(item => item.isFile())
        .map(item => readFileSync(join(item.parentPath, item.name), 'utf8'))
        .join('\n')
    : ''

describe('files that look like secrets', () => {
  const all = [...NAMES, ...Object.keys(KEYS)].sort()

  it('are told of, and are neither in an index nor in a bundle', async () => {
    const { root: cwd } = project()
    expect(warned((await check({ cwd, paths: ['skills'] })).diagnostics).sort()).toEqual(all)
    for (const _ of isLong ? ['first', 'again'] : ['first']) {
      const { diagnostics, reused } = await compile({ cwd, paths: ['skills'], bundle: 'dist/agent.mjs' })
      expect(warned(diagnostics).sort()).toEqual(all)
      expect(reused).toBe(_ === 'first' ? 0 : 1)
    }
    const { details } = JSON.parse(readFileSync(join(cwd, 'skills/.agent-apps.json'), 'utf8'))
    expect(details.review.resources.map(({ path }: { path: string }) => path).sort()).toEqual(
      Object.keys(SOUND).sort(),
    )
    expect(textIn(join(cwd, 'dist'))).not.toContain(SECRET)
  })

  it('keep no skill from loading, however many it has', () => {
    const root = makeTree({ 'review/SKILL.md': skill('review') })
    const findings = Array.from({ length: 200_000 }, () => finding('secret-file', FILE_START, '.env'))
    const file = { path: 'review/SKILL.md', root, size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 }
    const place = { kind: 'folder', folderName: 'review', atRoot: false, unit: WHOLE } as const
    expect(parseSkill({ ...file, ...place, resources: [], findings })).toMatchObject({ broken: [] })
  })

  it.each(oneIn(3, ['disk', 'index', 'bundle']))('are not served from %s, and others are', async via => {
    const { root: cwd } = project()
    if (via !== 'disk') await compile({ cwd, paths: ['skills'], bundle: 'dist/agent.mjs' })
    const { runtime = createRuntime({ cwd, paths: ['skills'] }) } =
      via === 'bundle' ? await import(pathToFileURL(join(cwd, 'dist/agent.mjs')).href) : {}
    for (const path of all)
      await expect(runtime.readResource('review', path), path).rejects.toMatchObject({
        code: 'RESOURCE_NOT_FOUND',
      })
    for (const path of Object.keys(SOUND))
      expect((await runtime.readResource('review', path)).length, path).toBeGreaterThan(0)
  })

  it.each(['.npmrc', 'key.txt'])('are taken in neither by code nor by content: %s', async name => {
    const { root: cwd } = project({
      'importing.skill.js': `import value from './review/${name}' with { type: 'text' }
export const frontmatter = { name: 'importing', description: 'Imports.' }
export default () => value\n`,
      'including.skill.md': skill('including', `:include[review/${name}]\n`),
    })
    const { diagnostics } = await compile({ cwd, paths: ['skills'] })
    const faults = diagnostics.filter(({ severity }) => severity === 'error')
    expect(faults.map(({ file, ruleId }) => `${file} ${ruleId}`)).toEqual([
      'skills/importing.skill.js code-import',
      'skills/including.skill.md directive-failed',
    ])
    expect(textIn(join(cwd, 'skills/.agent-apps'))).not.toContain(SECRET)
    const runtime = createRuntime({ cwd, paths: ['skills'] })
    await expect(runtime.render('including')).rejects.toMatchObject({ code: 'DIRECTIVE_FAILED' })
  })
})
