import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { compileSubject } from './compile-subject.js'
import { goals } from './goals.js'
import { medians } from './measure.js'
import { options } from './options.js'
import { removeIndex } from './remove-index.js'
import { atMost, heading, ms, row, times } from './table.js'
import { SETTLE, tree } from './tree.js'

/** Compiling as a fresh process, beside the floors over the same files. */
export async function benchCompile() {
  for (const size of options.compileSizes) {
    heading(`compile, ${size.toLocaleString('en')} skills`)
    const { skills, index, name, file } = await tree(size)
    const compile = compileSubject([skills])
    const measured = await medians(
      {
        empty: { script: 'empty.js' },
        floorScan: { script: 'floor-scan.js', args: [skills] },
        floorScanYaml: { script: 'floor-scan-yaml.js', args: [skills] },
        floorHashYaml: { script: 'floor-hash-yaml.js', args: [skills] },
        floorIndex: { script: 'floor-index.js', args: [index, skills, name] },
        cold: { ...compile, prepare: () => removeIndex(skills) },
        unchanged: compile,
        oneChanged: { ...compile, prepare: () => changeOne(file) },
      },
      options.runs,
    )
    print(measured, size === goals.size)
  }
}

async function changeOne(file) {
  appendFileSync(file, '\nOne more line.\n')
  await sleep(SETTLE)
}

function print(measured, isJudged) {
  const { empty, floorScan, floorScanYaml } = measured
  const figure = (what, value, note, goal) => row(what, ms(value), { net: ms(value - empty), note }, goal)
  const against = (what, value, floor, floorName, limit) => {
    const ratio = value / floor
    figure(what, value, times(ratio, floorName), isJudged ? atMost(ratio, limit) : null)
  }
  figure('empty Node process', empty)
  figure('floor-scan: read all, one regular expression', floorScan)
  figure('floor-scan-yaml: read all, js-yaml', floorScanYaml)
  figure('floor-hash-yaml: read all, SHA-256, js-yaml', measured.floorHashYaml)
  figure('floor-index: JSON index, Map, one file', measured.floorIndex)
  against('compile, nothing there', measured.cold, floorScanYaml, 'floor-scan-yaml', goals.cold)
  against('compile, nothing changed', measured.unchanged, floorScan, 'floor-scan', goals.unchanged)
  against('compile, one skill changed', measured.oneChanged, floorScan, 'floor-scan', goals.oneChanged)
}
