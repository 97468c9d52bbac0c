// Compiles the example skills with the command, then finds and runs them as an application would.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRuntime } from 'agent-apps/runtime'

const examples = fileURLToPath(new URL('.', import.meta.url))
const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
// A copy, so that the demo leaves the project as it is.
const project = mkdtempSync(join(tmpdir(), 'agent-apps-demo-'))
for (const item of ['agent-apps.config.json', 'skills', 'team-skills', 'middleware']) {
  cpSync(join(examples, item), join(project, item), { recursive: true })
}
// What the example code imports, as if it were installed there.
mkdirSync(join(project, 'node_modules'))
symlinkSync(join(examples, '..'), join(project, 'node_modules/agent-apps'), 'junction')
symlinkSync(join(examples, '../node_modules/zod'), join(project, 'node_modules/zod'), 'junction')

/** Where commands are run. */
let directory = project

try {
  agentApps('compile')
  console.log('\nWhat was made:')
  for (const directory of ['team-skills', 'skills']) {
    const made = readdirSync(join(project, directory)).filter(name => name === '.agent-apps.json')
    console.log(`  ${directory}/${made.join(', ')}`)
  }
  const modules = readdirSync(join(project, 'skills/.agent-apps')).filter(name => name.endsWith('.mjs'))
  console.log(`  skills/.agent-apps/ with ${modules.length} modules`)
  agentApps('list')

  console.log('\n$ node app.js   # createRuntime({ paths: ["./team-skills", "./skills"] })')
  const runtime = createRuntime({ paths: ['./team-skills', './skills'], cwd: project, freshness: 'trust' })
  for (const name of ['review', 'changelog', 'word-count', 'no-such-skill']) {
    const started = performance.now()
    const tool = await runtime.findTool(name)
    const took = (performance.now() - started).toFixed(2)
    console.log(
      `  findTool('${name}')`.padEnd(28),
      tool ? `${tool.origin.file} via ${tool.origin.via}` : 'null',
      `(${took} ms)`,
    )
  }
  console.log('  stats()'.padEnd(28), JSON.stringify(runtime.stats().via))

  agentApps('describe', 'review')
  agentApps('render', 'changelog')
  agentApps('run', 'word-count', '--arg', 'text=Two words. And three more.')
  agentApps('run', 'reading-time', '--arg', 'text=Not long.')
  console.log('\n$ node register-tools.js')
  start(join(examples, 'register-tools.js'))
  console.log('\n$ node catalog.js')
  start(join(examples, 'catalog.js'))

  // What runs around a tool: a project of its own, whose main skill promotes middleware to every tool.
  directory = join(project, 'middleware')
  console.log('\n$ cd middleware')
  agentApps('compile')
  agentApps('explain', 'forecast')
  agentApps('run', 'forecast', '--arg', 'city=Oslo')
} finally {
  rmSync(project, { recursive: true })
}

function agentApps(...args) {
  console.log(`\n$ agent-apps ${args.join(' ')}`)
  start(command, ...args)
}

function start(...args) {
  const { status } = spawnSync(process.execPath, args, {
    cwd: directory,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
}
