import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SCRIPTS = fileURLToPath(new URL('./peers/', import.meta.url))
const CACHE = join(
  process.env.AGENT_APPS_CI_SCRATCH ?? process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'agent-apps-peers',
)
const INSTALLED = 'installed.json'

/**
 * Installs a peer's packages, where a run before has not, each peer in a folder of its own outside the project, so that neither
 * versions clash nor one finds the project's.
 *
 * @returns that folder
 */
export function installPeer({ packages }) {
  const folder = join(CACHE, packages.join('+').replaceAll('/', '-'))
  if (existsSync(join(folder, INSTALLED))) return folder
  console.log(`installing ${packages.join(' ')}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  const flags = ['--loglevel', 'error', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact']
  execFileSync('npm', ['install', ...flags, ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  writeFileSync(join(folder, INSTALLED), JSON.stringify(packages))
  return folder
}

/**
 * Makes anew the folder that a peer runs in, within its installation: nothing built is there, and no home but an empty one.
 *
 * @returns its script and where that runs
 */
export function makePlace({ script, files = [], link }, folder, skills) {
  const cwd = join(folder, 'run')
  rmSync(cwd, { recursive: true, force: true })
  mkdirSync(cwd)
  for (const file of [script, ...files]) cpSync(join(SCRIPTS, file), join(cwd, file))
  if (link) {
    mkdirSync(dirname(join(cwd, link)), { recursive: true })
    symlinkSync(skills, join(cwd, link), 'junction')
  }
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  return { script: join(cwd, script), place: { cwd, env: { PATH: process.env.PATH, HOME: home } } }
}
