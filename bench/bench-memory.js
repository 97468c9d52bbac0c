import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { goals } from './goals.js'
import { run } from './measure.js'
import { options } from './options.js'
import { removeIndex } from './remove-index.js'
import { atMost, heading, row } from './table.js'
import { dropTree, SETTLE, tree } from './tree.js'

const REPORT_PEAK = new URL('./processes/report-peak.js', import.meta.url).href

/** The most that compiling takes, and what look-ups leave behind. */
export async function benchMemory() {
  heading('memory')
  for (const size of options.memorySizes) {
    const made = await tree(size)
    removeIndex(made.skills)
    showPeak(`peak of compiling ${size.toLocaleString('en')}`, size, [made.skills])
    appendFileSync(made.file, 'One more line.\n')
    await sleep(SETTLE)
    showPeak('  again, one changed', size, [made.skills])
    showPeak('  compile --check', size, ['--check', made.skills])
    if (size > options.mainSize) dropTree(made)
  }
  const { skills } = await tree(1_000)
  const { found, missing, registered } = JSON.parse(
    run('heap-slope.js', [skills], { nodeFlags: ['--expose-gc'] }),
  )
  row('heap left by 1,000,000 findTool', `${found.toFixed(3)} B`, { note: 'a call' })
  row('heap left by 100,000 missing names', `${missing.toFixed(3)} B`, {
    note: 'a name, after the first 20,000',
  })
  row('heap left by 10,000 tools registered and removed', `${registered.toFixed(3)} B`, { note: 'a tool' })
}

function showPeak(what, size, args) {
  const megabytes = Number(run('compile.js', args, { nodeFlags: ['--import', REPORT_PEAK] })) / 2 ** 10
  const goal = size === goals.memorySize ? atMost(megabytes, goals.memory, ' MB') : null
  row(what, `${megabytes.toFixed(0)} MB`, {}, goal)
}
