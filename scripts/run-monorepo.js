import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './processes.js'

const PACKAGES = ['packages/shared-skills', 'apps/desk', 'apps/phone', 'apps/stock']
const ALL = ['desk', 'phone', 'shared-skills', 'stock']
const SHARED_SKILL = 'packages/shared-skills/skills/opening-hours.skill.ts'
const OWN_SKILL = 'apps/stock/skills/reorder.skill.ts'

/** Builds a monorepo with Turborepo after each change, and looks at what it builds and what it takes from its cache. */
export function runMonorepo(root) {
  const build = (folder = root) =>
    builtBy(join(root, 'node_modules/.bin/turbo'), folder, join(root, '.turbo/cache'))
  assert.deepEqual(build(), ALL)
  assert.deepEqual(build(), [])

  // What is restored is the same.
  const outputs = outputsIn(root, digestOf)
  assert.ok(outputs.length > PACKAGES.length)
  removeOutputs(root)
  assert.deepEqual(build(), [])
  assert.deepEqual(outputsIn(root, digestOf), outputs)

  // So it is in a new checkout, where there is no cache of the compiler: it has nothing to write.
  const checkout = `${root}-again`
  const isMade = path => /\/(?:dist|node_modules|\.turbo|\.agent-apps(?:\.json)?)$/.test(path)
  cpSync(root, checkout, { recursive: true, filter: path => !isMade(path) })
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
  assert.deepEqual(build(checkout), [])
  assert.deepEqual(outputsIn(checkout, digestOf), outputs)
  const times = outputsIn(checkout, timeOf)
  for (const name of PACKAGES) runBuild(join(checkout, name))
  assert.deepEqual(outputsIn(checkout, timeOf), times)

  change(root, SHARED_SKILL, '18:00', '19:00')
  assert.deepEqual(build(), ['desk', 'phone', 'shared-skills'])
  change(root, OWN_SKILL, '4 * weekly', '5 * weekly')
  assert.deepEqual(build(), ['stock'])
  change(root, SHARED_SKILL, '19:00', '18:00')
  change(root, OWN_SKILL, '5 * weekly', '4 * weekly')
  assert.deepEqual(build(), [])
  // Turborepo brings back what was there, and leaves what came since.
  const now = new Set(outputsIn(root, digestOf))
  assert.deepEqual(
    outputs.filter(output => !now.has(output)),
    [],
  )
  for (const name of PACKAGES) runBuild(join(root, name), '--check')

  // Another compiler may make something else of the same skills.
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/agent-apps/package.json'), 'utf8'))
  change(root, 'package-lock.json', `"version": "${version}"`, '"version": "999.0.0"')
  assert.deepEqual(build(), ALL)
}

/** Builds the same monorepo with Nx, over the same changes. */
export function runMonorepoWithNx(root) {
  rmSync(join(root, 'turbo.json'))
  const build = () => builtByNx(root)
  assert.deepEqual(build(), ALL)
  const outputs = outputsIn(root, digestOf)
  removeOutputs(root)
  assert.deepEqual(build(), [])
  assert.deepEqual(outputsIn(root, digestOf), outputs)
  for (const name of PACKAGES) runBuild(join(root, name), '--check')

  change(root, SHARED_SKILL, '18:00', '19:00')
  assert.deepEqual(build(), ['desk', 'phone', 'shared-skills'])
  change(root, OWN_SKILL, '4 * weekly', '5 * weekly')
  assert.deepEqual(build(), ['stock'])
}

/** Builds with Nx; gives the names of the packages that were not in its cache. */
function builtByNx(root) {
  run(join(root, 'node_modules/.bin/nx'), ['run-many', '--target', 'build'], {
    cwd: root,
    env: { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true' },
  })
  const { tasks } = JSON.parse(readFileSync(join(root, '.nx/cache/run.json'), 'utf8'))
  return tasks
    .filter(task => task.cacheStatus === 'cache-miss')
    .map(task => task.taskId.replace(/:build$/, ''))
    .sort()
}

/** Builds with Turborepo; gives the names of the packages that were not in its cache. */
function builtBy(turbo, folder, cache) {
  const runs = join(folder, '.turbo/runs')
  rmSync(runs, { recursive: true, force: true })
  run(turbo, ['run', 'build', '--summarize', '--cache-dir', cache], {
    cwd: folder,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  })
  const [summary] = readdirSync(runs)
  const { tasks } = JSON.parse(readFileSync(join(runs, summary), 'utf8'))
  return tasks.filter(task => task.cache.status !== 'HIT').map(task => task.package)
}

/** Does what a package's build script says, without Turborepo. */
function runBuild(folder, ...options) {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [command, ...args] = scripts.build.split(' ')
  run(join(folder, '../../node_modules/.bin', command), [...args, ...options], { cwd: folder })
}

/** What is said of each output, by path. */
function outputsIn(root, say) {
  const files = PACKAGES.flatMap(name =>
    readdirSync(join(root, name), { recursive: true })
      .filter(
        path => /^(?:dist|skills\/\.agent-apps(?:\.json)?)(?:\/|$)/.test(path) && !path.includes('/cache'),
      )
      .map(path => join(name, path)),
  )
  return files
    .filter(file => statSync(join(root, file)).isFile())
    .sort()
    .map(file => `${file} ${say(join(root, file))}`)
}

function digestOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function timeOf(file) {
  return statSync(file).mtimeMs
}

function removeOutputs(root) {
  for (const name of PACKAGES)
    for (const output of ['dist', 'skills/.agent-apps.json', 'skills/.agent-apps'])
      rmSync(join(root, name, output), { recursive: true, force: true })
}

function change(root, file, from, to) {
  const text = readFileSync(join(root, file), 'utf8')
  assert.ok(text.includes(from), `${file} has no ${from}`)
  writeFileSync(join(root, file), text.replace(from, to))
}
