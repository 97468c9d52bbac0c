// Compiles the example skills with the command, then finds them as an application would.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRuntime } from 'agent-apps/runtime'

const examples = fileURLToPath(new URL('.', import.meta.url))
const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
// A copy, so that the demo leaves the project as it is.
const project = mkdtempSync(join(tmpdir(), 'agent-apps-demo-'))
for (const item of ['agent-apps.config.json', 'skills', 'team-skills']) {
  cpSync(join(examples, item), join(project, item), { recursive: true })
}

try {
  agentApps('compile')
  console.log('\nWhat was made:')
  for (const directory of ['team-skills', 'skills']) {
    const made = readdirSync(join(project, directory)).filter(name => name === '.agent-apps.json')
    console.log(`  ${directory}/${made.join(', ')}`)
  }
  agentApps('list')

  console.log('\n$ node app.js   # createRuntime({ paths: ["./team-skills", "./skills"] })')
  const runtime = createRuntime({ paths: ['./team-skills', './skills'], cwd: project, freshness: 'trust' })
  for (const name of ['review', 'changelog', 'postmortem', 'no-such-skill']) {
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
} finally {
  rmSync(project, { recursive: true })
}

function agentApps(...args) {
  console.log(`\n$ agent-apps ${args.join(' ')}`)
  const { status } = spawnSync(process.execPath, [command, ...args], {
    cwd: project,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error(`agent-apps ${args[0]} ended with ${status}`)
}
