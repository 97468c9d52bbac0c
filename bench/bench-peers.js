// Other systems for skills beside ours, on the same files in the same run.
import { goals } from './goals.js'
import { installPeer, makePlace } from './install-peer.js'
import { machine } from './machine.js'
import { measureWhole } from './measure-whole.js'
import { oursSubjects } from './ours-subjects.js'
import { peers } from './peers.js'
import { judgePeers } from './peers-judge.js'
import { peersMarkdown } from './peers-markdown.js'
import { peersOptions } from './peers-options.js'
import { heading, ms, row, summary } from './table.js'
import { dropTree, tree } from './tree.js'

const { sizes, only, runs, markdown } = peersOptions

console.log(machine())
console.log(
  `Each process fresh, in turns; medians of ${runs} run${runs === 1 ? '' : 's'}. One before, not counted, tells the memory.`,
)
console.log('Columns: whole process, the same without an empty process, most memory, goal.')
const chosen = peers.filter(
  ({ name }) => only.length === 0 || only.some(start => name.toLowerCase().startsWith(start)),
)
const installed = chosen.map(peer => ({ ...peer, ...install(peer) }))
const results = new Map()
let subjects = []
for (const size of sizes) {
  const made = await tree(size)
  subjects = [...(await oursSubjects(made)), ...installed.map(peer => peerSubject(peer, made))]
  const tried = subjects.filter(({ most = goals.size }) => size <= most)
  const measured = await measureWhole(tried, runs)
  results.set(size, measured)
  printSize(size, measured)
  dropTree(made)
}
heading('the peer that takes least ÷ ours (starts without an empty process)')
const verdicts = judgePeers(results, subjects, only.length === 0)
for (const { what, value, note, goal } of verdicts) row(what, value, { note }, goal)
summary()
if (markdown) console.log(`\n${peersMarkdown(results, subjects, verdicts, runs)}`)

/** Where a peer is installed, or why it is not. */
function install(peer) {
  try {
    return { folder: installPeer(peer) }
  } catch (error) {
    return {
      failure: `not installed: ${(error.stderr || error.message).toString().replace(/\s+/g, ' ').trim()}`,
    }
  }
}

function peerSubject(peer, { skills, name }) {
  const { packages, folder, failure, argument = '' } = peer
  const version = packages[0].slice(packages[0].lastIndexOf('@') + 1)
  const subject = { ...peer, version, args: [skills, name, argument] }
  if (failure) return { ...subject, prepare: () => Promise.reject(new Error(failure)) }
  // One folder, whose contents are replaced each time.
  return { ...subject, ...makePlace(peer, folder, skills), prepare: () => makePlace(peer, folder, skills) }
}

function printSize(size, measured) {
  heading(`${size.toLocaleString('en')} skills`)
  const empty = measured.get('empty Node process').time
  for (const [name, { failure, time, peak, seen }] of measured) {
    if (failure) row(name, 'failed', { note: failure })
    else {
      const saw = seen === undefined || seen === size ? '' : `, saw ${seen}`
      row(name, ms(time), { net: ms(time - empty), note: `${Math.round(peak)} MB${saw}` })
    }
  }
}
