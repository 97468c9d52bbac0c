// How much processor time a running program takes, in ms, from the write of a skill to the answer that sees it, under `check`. The first
// argument is a folder of compiled skills, the second the name of one of them, the third its file.
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRuntime } from 'agent-apps/runtime'
import { quantile } from '../measure.js'

const ROUNDS = 15
const [skills, name, file] = process.argv.slice(2)
const runtime = createRuntime({ paths: [skills], freshness: 'check' })
const text = readFileSync(file, 'utf8')
const { atime, mtime } = statSync(file)
await runtime.listTools()
await runtime.findTool('no-such-skill')
let edits = 0

const figures = {
  found: await timed(
    () => runtime.findTool(name),
    tool => tool.name === name,
  ),
  missed: await timed(
    () => runtime.findTool('no-such-skill'),
    tool => tool === null,
  ),
  listed: await timed(
    () => runtime.listTools(),
    tools => tools.length > 0,
  ),
  changed: await timed(
    () => runtime.invoke(name),
    content => content.endsWith(`Edit ${edits}.\n`),
    () => writeFileSync(file, `${text}\nEdit ${++edits}.\n`),
  ),
}
writeFileSync(file, text)
utimesSync(file, atime, mtime)
for (const [what, folder] of [
  ['addedAtTop', skills],
  ['addedBelow', dirname(dirname(file))],
]) {
  const made = []
  figures[what] = await timed(
    () => runtime.findTool(`added-${edits}`),
    tool => tool?.name === `added-${edits}`,
    () => made.push(add(folder)),
  )
  figures[`${what}Listed`] = await timed(
    () => runtime.listTools(),
    tools => tools.some(tool => tool.name === `added-${edits}`),
    () => made.push(add(folder)),
  )
  for (const one of made) rmSync(one, { recursive: true })
}
console.log(JSON.stringify(figures))

function add(folder) {
  const added = join(folder, `added-${++edits}`)
  mkdirSync(added, { recursive: true })
  writeFileSync(join(added, 'SKILL.md'), `---\nname: added-${edits}\ndescription: Was added.\n---\nText.\n`)
  return added
}

/** The median of rounds, each after a change; throws where an answer does not see it. */
async function timed(ask, isRight, change = () => {}) {
  const times = []
  for (let round = 0; round < ROUNDS; round++) {
    change()
    const start = process.cpuUsage()
    const answer = await ask()
    const { user, system } = process.cpuUsage(start)
    if (!isRight(answer)) throw new Error(`the answer does not see round ${round}: ${ask}`)
    times.push((user + system) / 1_000)
  }
  return quantile(times, 0.5)
}
