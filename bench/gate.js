import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { quantile } from './measure.js'
import { MOST, ratios } from './ratios.js'
import { removeIndex } from './remove-index.js'
import { heading, ms, row } from './table.js'
import { SETTLE, temporaryFolder, tree } from './tree.js'

const SIZE = 1_000
const ROUNDS = 9
const PROCESSES = fileURLToPath(new URL('./processes/', import.meta.url))
const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const REPORT = new URL('./processes/report-cpu.js', import.meta.url).href

/**
 * Compares the processor time of each stage with what it may be, which a machine that does other things as well
 * changes little. All take turns, and the floor runs before each.
 *
 * @param slower makes a stage slower, to show that the gate sees it: `name=1.6`
 * @returns the names of the stages that take too long
 */
export async function gate(slower) {
  const subjects = await stages()
  const [slowed, times] = slower?.split('=') ?? []
  const cpuFile = join(temporaryFolder('gate'), 'cpu')
  // All are held against the floor, so that it is measured more often than they are.
  const order = Object.keys(subjects).flatMap(name => (name in ratios ? ['floor', name] : name))
  const measured = new Map(Object.keys(subjects).map(name => [name, []]))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of order) {
      const { args, prepare } = subjects[name]
      await prepare?.()
      const time = cpuOf(args, { CPU_FILE: cpuFile, ...(name === slowed && { CPU_SLOWER: times }) })
      if (round > 0) measured.get(name).push(time)
    }
  }
  return judge(new Map([...measured].map(([name, all]) => [name, quantile(all, 0.5)])))
}

async function stages() {
  const { skills, file } = await tree(SIZE)
  const compile = [COMMAND, 'compile', skills]
  return {
    empty: { args: [join(PROCESSES, 'empty.js')] },
    floor: { args: [join(PROCESSES, 'floor-scan-yaml.js'), skills] },
    'compile, nothing there': { args: compile, prepare: () => removeIndex(skills) },
    'compile, nothing changed': { args: compile },
    'compile, one skill changed': {
      args: compile,
      async prepare() {
        appendFileSync(file, '\nOne more line.\n')
        await sleep(SETTLE)
      },
    },
    check: { args: [COMMAND, 'check', skills] },
    list: { args: [COMMAND, 'list', '--path', skills] },
  }
}

/** The processor time of a process, in ms. */
function cpuOf(args, env) {
  const { status, stderr } = spawnSync(process.execPath, ['--import', REPORT, ...args], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${stderr}`)
  return Number(readFileSync(env.CPU_FILE, 'utf8'))
}

function judge(medians) {
  heading(
    `processor time, ${SIZE.toLocaleString('en')} skills; ratios to floor-scan-yaml, both without an empty process`,
  )
  const net = name => medians.get(name) - medians.get('empty')
  row('empty Node process', ms(medians.get('empty')))
  row('floor-scan-yaml: read all, js-yaml', ms(medians.get('floor')), { net: ms(net('floor')) })
  return Object.entries(ratios)
    .filter(([name, known]) => {
      const ratio = net(name) / net('floor')
      const note = `${ratio.toFixed(2)}, ${(ratio / known).toFixed(2)} × the ${known} of bench/ratios.js`
      row(
        name,
        ms(medians.get(name)),
        { net: ms(net(name)), note },
        { met: ratio <= known * MOST, text: `≤ ${MOST} ×` },
      )
      return ratio > known * MOST
    })
    .map(([name]) => name)
}
