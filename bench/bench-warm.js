import { goals } from './goals.js'
import { run } from './measure.js'
import { options } from './options.js'
import { atMost, heading, row } from './table.js'
import { tree } from './tree.js'

const us = value => `${value.toFixed(3)} µs`

/** Look-ups in a process that has the names already. */
export async function benchWarm() {
  const size = options.mainSize
  heading(`warm look-up, ${size.toLocaleString('en')} skills`)
  const { skills } = await tree(size)
  const measured = JSON.parse(run('warm-find.js', [skills]))
  row('Map.get', us(measured.mapGet))
  row('await a resolved promise of Map.get', us(measured.resolved))
  row('await findTool', us(measured.find), {}, atMost(measured.find, goals.warm, ' µs'))
  const { resolved, find } = measured.concurrent
  row('1,000 resolved promises at once, p99 of a call', us(resolved.call))
  row('1,000 findTool at once, p99 of a call', us(find.call), {}, atMost(find.call, goals.concurrent, ' µs'))
  row('1,000 resolved promises at once, p99 until resumed', us(resolved.resumed))
  row('1,000 findTool at once, p99 until resumed', us(find.resumed))
}
