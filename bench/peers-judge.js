import { goals } from './goals.js'
import { atLeast, atMost } from './table.js'

/** The uncertainty of an empty process, in ms. A smaller difference to it counts as this. */
const LEAST_NET = 1

/**
 * What the figures say of ours beside the peers'.
 *
 * @param results for each size, what was measured by name
 * @param isWhole whether all peers were there; else nothing is held against a goal
 * @returns records of `what`, `value`, `note` and `goal`
 */
export function judgePeers(results, subjects, isWhole) {
  const size = Math.max(...[...results.keys()].filter(one => one <= goals.size))
  const measured = results.get(size) ?? new Map()
  const isJudged = isWhole && size === goals.size
  return [...growth(results), ...starts(), ...builds(), ...checks()]

  function starts() {
    const ours = net('agent-apps, from an index: one loaded')
    const listing = net('agent-apps, from an index: all listed, one loaded')
    const peer = least('list', net)
    const folder = least('one', net)
    const at = of(size)
    return [
      ...ratio(`${at}: start to one loaded`, peer, ours, isJudged ? goals.peerStart : null),
      ...ratio(`${at}: start to all listed and one loaded`, peer, listing, isJudged ? goals.peerList : null),
      ...ratio(`${at}: start to one loaded, the peer told its folder`, folder, ours, null),
    ]
  }

  function builds() {
    const ours = 'agent-apps compile, nothing there'
    const limit = isJudged ? goals.peerBuild : null
    return [
      ...ratio(`${of(size)}: build, time`, least('build', net), net(ours), limit),
      ...ratio(`${of(size)}: build, most memory`, least('build', peakOf), peakOf(ours), limit),
    ]
  }

  function checks() {
    const name = 'skills-ref validate'
    const value = net(name)
    const peer = value === undefined ? undefined : { name, value }
    return ratio(`${of(size)}: check`, peer, net('agent-apps check'), isJudged ? goals.peerCheck : null)
  }

  function timeOf(name) {
    return measured.get(name)?.time
  }

  function peakOf(name) {
    return measured.get(name)?.peak
  }

  function net(name) {
    const time = timeOf(name)
    return time === undefined ? undefined : Math.max(time - timeOf('empty Node process'), LEAST_NET)
  }

  /** The peer of a kind that takes least. */
  function least(kind, figure) {
    return subjects
      .filter(subject => subject.kind === kind && subject.version)
      .map(({ name }) => ({ name, value: figure(name) }))
      .filter(({ value }) => value !== undefined)
      .sort((a, b) => a.value - b.value)[0]
  }
}

function ratio(what, peer, ours, limit) {
  if (!peer || ours === undefined) return []
  const value = peer.value / ours
  const goal = limit === null ? null : atLeast(value, limit)
  return [{ what, value: `${value.toFixed(1)} ×`, note: peer.name, goal }]
}

/** How starting grows with the number of skills, where the largest tree was measured. */
function growth(results) {
  const time = size => results.get(size)?.get('agent-apps, from an index: one loaded')?.time
  const smallest = Math.min(...results.keys())
  const [first, last] = [time(smallest), time(goals.startSize)]
  if (first === undefined || last === undefined) return []
  const value = last / first
  return [
    {
      what: `start to one loaded, at ${of(goals.startSize)} ÷ at ${of(smallest)}`,
      value: `${value.toFixed(2)} ×`,
      note: '',
      goal: atMost(value, goals.start),
    },
  ]
}

const of = size => size.toLocaleString('en')
