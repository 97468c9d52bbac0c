// The library's tools for files beside programs and packages that do the same work, on the same tree in the same run.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { goals } from './goals.js'
import { installPeer } from './install-peer.js'
import { machine } from './machine.js'
import { quantile, run } from './measure.js'
import { atMost, heading, ms, row, summary, times } from './table.js'
import { temporaryFolder } from './tree.js'

const RUNS = Number(process.env.RUNS ?? 6)
const FILES = Number(process.env.FILES ?? 100_000)
const LARGE_LINES = 250_000

const root = temporaryFolder('workspace')
makeTree()
const peers = join(installPeer({ packages: ['fast-glob@3.3.3', 'tinyglobby@0.2.15'] }), 'node_modules')
const empty = measured('nothing').peak

console.log(machine())
console.log(
  `Each in a process of its own: the median of ${RUNS} runs after a first one, and the memory of one run above an empty process.`,
)

heading(`glob: ${FILES.toLocaleString('en')} files, the last changed first`)
compare('our glob', ['fast-glob', 'tinyglobby'], goals.glob)
heading(`grep: the same files`)
compare('our grep', ['rg'], goals.grep)
show('our scan', measured('our scan'))
heading('a file of 10 MB')
compare('our read', ['node read'])
compare('our edit', ['node edit'])
summary()

function compare(ours, others, goal) {
  const found = others.map(name => [name, measured(name)])
  const own = measured(ours)
  for (const [name, { result }] of found)
    if (result !== own.result) throw new Error(`${ours} found ${own.result}, ${name} ${result}`)
  const [fastest, { time }] = found.toSorted(([, a], [, b]) => a.time - b.time)[0]
  const ratio = own.time / time
  show(ours, own, { note: times(ratio, fastest) }, goal && atMost(Number(ratio.toFixed(2)), goal))
  for (const [name, one] of found) show(name, one)
}

function show(name, { time, peak }, extra = {}, goal = null) {
  row(name, ms(time), extra, goal)
  const above = Math.max(0, peak - empty)
  row(
    '  memory',
    `${above.toFixed(0)} MB`,
    {},
    name.startsWith('our') ? atMost(Math.round(above), goals.toolMemory, ' MB') : null,
  )
}

function measured(subject) {
  const { times: all, result } = JSON.parse(run('tools.js', [subject, root, RUNS + 1, peers]))
  // After several runs, memory also contains garbage.
  const { peak } = JSON.parse(run('tools.js', [subject, root, 1, peers]))
  return { time: quantile(all.slice(1), 0.5), result, peak }
}

function makeTree() {
  const line = 'const value = compute(another, value) // what this line is about\n'
  for (let number = 0; number < FILES; number++) {
    const file = join(
      root,
      `part-${number % 40}/group-${number % 1000}/file-${number}.${number % 4 === 0 ? 'ts' : 'md'}`,
    )
    if (number < 40_000) mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, line.repeat(number % 20) + (number % 500 === 0 ? 'needle_abc\n' : ''))
  }
  const lines = Array.from({ length: LARGE_LINES }, (_, index) => `line ${index} of a file that is large\n`)
  lines[LARGE_LINES >> 1] = 'the only line of its kind\n'
  writeFileSync(join(root, 'large.txt'), lines.join(''))
}
