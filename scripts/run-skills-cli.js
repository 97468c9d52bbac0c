// Has the `skills` program list and install what `agent-apps export` writes. It needs Node 22.20 or later.
import { execFile } from 'node:child_process'
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { exportSkills } from 'agent-apps/export'
import { install } from './processes.js'

const PACKAGES = ['skills@1.7']
const PROJECT = {
  'agent-apps.config.json': '{ "paths": ["./skills"] }',
  'skills/review/SKILL.md':
    '---\nname: review\ndescription: Reviews a change.\n---\nFirst :skill[lint]. Then run scripts/run.sh.\n',
  'skills/review/scripts/run.sh': '#!/bin/sh\necho checked\n',
  'skills/lint.skill.md': '---\nname: lint\ndescription: Finds mistakes.\n---\nRun the linter.\n',
  'skills/word-count.skill.js':
    "export const frontmatter = { name: 'word-count', description: 'Counts.' }\nexport default () => 0\n",
}
const EXPECTED = ['lint', 'review']

const scratch = mkdtempSync(join(process.env.AGENT_APPS_CI_SCRATCH ?? tmpdir(), 'skills-cli-'))
try {
  install(scratch, PACKAGES)
  const cwd = join(scratch, 'project')
  for (const [path, text] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  const plugin = await exportSkills({ to: 'plugin', dir: 'plugin', cwd, name: 'kit' })
  expectSame('the plugin', await listed(plugin.dir))

  const site = await exportSkills({ to: 'well-known', dir: 'site/.well-known/agent-skills', cwd })
  const { address, close } = await serve(join(cwd, 'site'))
  expectSame('the discovery index', await listed(address))
  const home = join(scratch, 'home')
  mkdirSync(home)
  await skills(['add', address, '--all', '-y'], home)
  close()
  for (const file of ['review/SKILL.md', 'review/scripts/run.sh', 'lint/SKILL.md'])
    if (
      !readFileSync(join(home, '.agents/skills', file)).equals(readFileSync(join(plugin.dir, 'skills', file)))
    )
      throw new Error(`${file} was not installed as it was exported`)
  console.log(
    `skills lists the plugin, and lists and installs ${site.skills.length} skills of the discovery index`,
  )
} catch (error) {
  console.log(`${error.stack}\n${error.stdout ?? ''}${error.stderr ?? ''}`)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** The names in its list, which stand alone on lines that are less indented than descriptions. */
async function listed(source) {
  const { stdout } = await skills(['add', source, '--list'], scratch)
  const [, list = ''] = stdout.replace(/\u001b\[[?\d;]*[a-zA-Z]/g, '').split(/Available Skills/)
  return [...list.matchAll(/^│ {4}(\S.*)$/gm)].map(([, name]) => name.trim()).sort()
}

function skills(args, cwd) {
  const program = join(scratch, 'node_modules/skills/bin/cli.mjs')
  const env = { ...process.env, HOME: cwd, NO_COLOR: '1', CI: '1', DISABLE_TELEMETRY: '1' }
  const running = promisify(execFile)(process.execPath, [program, ...args], { cwd, env, timeout: 120_000 })
  running.child.stdin.end()
  return running
}

/** A web server of a folder's files. */
async function serve(folder) {
  const server = createServer(({ url }, response) => {
    createReadStream(join(folder, decodeURIComponent(new URL(url, 'http://localhost').pathname)))
      .on('error', () => response.writeHead(404).end())
      .pipe(response)
  })
  await new Promise(done => server.listen(0, '127.0.0.1', done))
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}

function expectSame(what, names) {
  if (JSON.stringify(names) !== JSON.stringify(EXPECTED))
    throw new Error(`${what}: skills lists ${JSON.stringify(names)}`)
}
