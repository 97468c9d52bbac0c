import { run } from './measure.js'
import { heading, row } from './table.js'

const us = value => `${value.toFixed(3)} µs`

/** The pure helpers, each beside what one would use instead. */
export function benchHelpers() {
  heading('helpers, one call')
  const measured = JSON.parse(run('helpers.js'))
  row('isAllowed with parsed patterns', us(measured.compiled))
  row('picomatch, compiled', us(measured.picomatchCompiled))
  row('matchPattern', us(measured.match))
  row('picomatch, compiled each time', us(measured.picomatch))
  row('pathGet', us(measured.pathGet))
  row('split at dots and reduce, prototypes reachable', us(measured.getByDots))
  row('safeSnapshot of 2 KB', us(measured.safeSnapshot))
  row('structuredClone', us(measured.structuredClone))
  row('JSON there and back', us(measured.json))
  row('stringify and parse', us(measured.stringify))
  row('devalue there and back', us(measured.devalue))
}
