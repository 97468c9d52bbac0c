import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { judgeRatios, net } from './judge-ratios.js'
import { quantile, run } from './measure.js'
import { MOST, ratios } from './ratios.js'
import { HERE, stages } from './stages.js'
import { heading, ms, row } from './table.js'
import { tree } from './tree.js'

const SIZE = 1_000
const ROUNDS = 5
const PROCESSES = fileURLToPath(new URL('./processes/', import.meta.url))
const REPORT = new URL('./processes/report-cpu.js', import.meta.url).href

/**
 * Compares the processor time of stages with what it may be, which a machine that does other things as well
 * changes little.
 *
 * @param only the name of a stage that is measured alone
 * @param slower makes a stage slower, to show that the gate sees it: `name=1.6`
 * @returns the names of the stages that take too long
 */
export async function gate({ only, slower }) {
  const [slowed, times] = slower?.split('=') ?? []
  for (const name of [only, slowed])
    if (name !== undefined && !(name in ratios)) throw new Error(`There is no stage "${name}".`)
  const committed = only === undefined ? ratios : { [only]: ratios[only] }
  const rounds = await measureStages(Object.keys(committed), { [slowed]: times })
  const judged = judgeRatios(rounds, committed)
  print(rounds, judged)
  return judged.filter(({ isTooSlow }) => isTooSlow).map(({ name }) => name)
}

/**
 * Measures stages, the floor at both ends, and an empty process in every round. A first round is not counted.
 *
 * @param names those of `stages`
 * @param slower how many times as long stages are made to take, by name
 * @param count the number of rounds
 * @returns the rounds, as `judgeRatios` takes them
 */
export async function measureStages(names, slower = {}, count = ROUNDS) {
  const { folder, skills, file, name } = await tree(SIZE)
  const subjects = {
    empty: { script: 'empty.js', args: [] },
    floor: { script: 'floor-scan-yaml.js', args: [skills] },
    ...stages(HERE, { skills, file: relative(skills, file), name }, skills),
  }
  // Whichever stages are measured, `list` finds an index.
  run('compile.js', [skills])
  const cpuFile = join(folder, 'cpu')
  const rounds = []
  for (let round = 0; round <= count; round++) {
    const times = {}
    for (const subject of ['empty', 'floor', ...names, 'floor']) {
      const { script, args, prepare } = subjects[subject]
      await prepare?.()
      const env = { CPU_FILE: cpuFile, CPU_SLOWER: String(slower[subject] ?? 1) }
      times[subject] = [...(times[subject] ?? []), cpuOf([resolve(PROCESSES, script), ...args], env)]
    }
    if (round > 0) rounds.push(times)
  }
  return rounds
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

function print(rounds, judged) {
  heading(
    `processor time, ${SIZE.toLocaleString('en')} skills; ratios to floor-scan-yaml, both without an empty process`,
  )
  const median = name => {
    const all = rounds.flatMap(round => round[name])
    return ms(quantile(all, 0.5))
  }
  const medianNet = name => {
    const all = rounds.map(round => net(round, name))
    return ms(quantile(all, 0.5))
  }
  row('empty Node process', median('empty'))
  row('floor-scan-yaml: read all, js-yaml', median('floor'), { net: medianNet('floor') })
  for (const { name, ratio, committed, isTooSlow } of judged) {
    const note = `${ratio.toFixed(2)}, ${(ratio / committed).toFixed(2)} × the ${committed} of bench/ratios.js`
    row(name, median(name), { net: medianNet(name), note }, { met: !isTooSlow, text: `≤ ${MOST} ×` })
  }
}
