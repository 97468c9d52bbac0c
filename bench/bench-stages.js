import { join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateSkills } from './generate-skills.js'
import { goals } from './goals.js'
import { medians } from './measure.js'
import { options } from './options.js'
import { HERE, stages } from './stages.js'
import { atMost, heading, ms, row, times } from './table.js'
import { SETTLE, tree } from './tree.js'

/**
 * What a user waits for, at every size, beside the floors over the same files; with `--beside=DIR` also beside what
 * another checkout, which has been built, takes for the same in the same run.
 */
export async function benchStages() {
  for (const size of options.compileSizes) {
    heading(`what a user waits for, ${size.toLocaleString('en')} skills`)
    const made = await tree(size)
    const ours = await stagesOf('ours', HERE, made)
    const theirs = options.beside ? await stagesOf('theirs', resolve(options.beside), made) : {}
    const subjects = Object.entries(ours).flatMap(([stage, subject]) => [
      [stage, subject],
      ...(stage in theirs ? [[`beside: ${stage}`, theirs[stage]]] : []),
    ])
    print(await medians({ ...floors(made), ...Object.fromEntries(subjects) }, options.runs), size)
  }
}

/** Each checkout has a copy of the tree: another version's cache would be of no use to it. */
async function stagesOf(who, root, { count, folder, skills, file, name }) {
  const [compiled, plain] = ['compiled', 'plain'].map(kind => join(folder, `${who}-${kind}`))
  for (const copy of [compiled, plain]) generateSkills(copy, count)
  await sleep(SETTLE)
  return stages(root, { skills: compiled, file: relative(skills, file), name }, plain)
}

function floors({ skills, index, name }) {
  return {
    'empty Node process': { script: 'empty.js' },
    'floor-scan': { script: 'floor-scan.js', args: [skills] },
    'floor-scan-yaml': { script: 'floor-scan-yaml.js', args: [skills] },
    'floor-hash-yaml': { script: 'floor-hash-yaml.js', args: [skills] },
    'floor-index': { script: 'floor-index.js', args: [index, skills, name] },
  }
}

function print(measured, size) {
  const empty = measured['empty Node process']
  const net = what => measured[what] - empty
  for (const [what, time] of Object.entries(measured)) {
    if (what.startsWith('beside: ')) continue
    const { floor, limit, at = goals.size } = goals.stages[what] ?? {}
    const ratio = floor && (floor === 'empty Node process' ? net(what) / empty : net(what) / net(floor))
    const beside = measured[`beside: ${what}`]
    const notes = [
      ...(floor ? [times(ratio, floor)] : []),
      ...(beside ? [`${ms(beside - empty)} beside: ${times((beside - empty) / net(what), 'ours')}`] : []),
    ]
    row(
      what,
      ms(time),
      { net: ms(net(what)), note: notes.join(', ') },
      floor && size === at ? atMost(ratio, limit) : null,
    )
  }
}
