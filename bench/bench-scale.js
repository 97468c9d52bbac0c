// Measures what a process asks of an index, in collections of several sizes: the time should not grow with the size.
// `BENCH_SCALE=1000000` adds a size.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { generateSkills } from './generate-skills.js'
import { machine } from './machine.js'
import { quantile, run } from './measure.js'
import { heading, ms, row } from './table.js'
import { temporaryFolder } from './tree.js'

const SIZES = [1_000, 10_000, 100_000, ...(process.env.BENCH_SCALE?.split(',').map(Number) ?? [])]
const JOINED = 20
const RUNS = 9

console.log(machine())
for (const size of SIZES) await measureOne(size)
await measureJoined()

async function measureOne(size) {
  const folder = temporaryFolder(`scale-${size}`)
  generateSkills(folder, size)
  const started = performance.now()
  await compile({ paths: [folder] })
  heading(`${size} skills, compiled in ${ms(performance.now() - started)}`)
  measure(['find', 'miss', 'call', 'call-without-library', 'search'], [folder])
}

async function measureJoined() {
  const root = temporaryFolder('scale-joined')
  const folders = Array.from({ length: JOINED }, (_, number) => join(root, `directory-${number}`))
  for (const [number, folder] of folders.entries()) {
    // Each count gives other skills.
    generateSkills(folder, 500 + number)
    await compile({ paths: [folder] })
  }
  for (const count of [1, JOINED]) {
    heading(`a skill of the last of ${count} directories of about 500`)
    measure(['find', 'miss'], folders.slice(0, count))
  }
}

/** Prints the medians of processes that take turns. */
function measure(subjects, folders) {
  const skills = readdirSync(folders.at(-1)).filter(name => !name.startsWith('.'))
  const name = skills[Math.floor(skills.length / 2)]
  const all = new Map(subjects.map(subject => [subject, []]))
  for (let round = 0; round <= RUNS; round++)
    for (const [subject, records] of all) {
      const record = JSON.parse(run('at-scale.js', [subject, name, ...folders]))
      // The first round warms the file system's cache.
      if (round > 0) records.push(record)
    }
  for (const [subject, records] of all) {
    const [cpu, memory] = ['cpu', 'memory'].map(key =>
      quantile(
        records.map(record => record[key]),
        0.5,
      ),
    )
    row(subject, ms(cpu), { note: `${memory.toFixed(0)} MB` })
  }
}
