import { benchAdapters } from './bench-adapters.js'
import { benchBundle } from './bench-bundle.js'
import { benchChanges } from './bench-changes.js'
import { benchCode } from './bench-code.js'
import { benchCorpus } from './bench-corpus.js'
import { benchHelpers } from './bench-helpers.js'
import { benchInvoke } from './bench-invoke.js'
import { benchLoaded } from './bench-loaded.js'
import { benchMemory } from './bench-memory.js'
import { benchStages } from './bench-stages.js'
import { benchStart } from './bench-start.js'
import { benchWarm } from './bench-warm.js'
import { gate } from './gate.js'
import { machine } from './machine.js'
import { options } from './options.js'
import { summary } from './table.js'

console.log(machine())
console.log(
  `Each process fresh, in turns; medians of ${options.runs} runs (${options.shortRuns} of short ones).`,
)
console.log('Columns: whole process, the same without an empty process, compared with, goal.')
if (options.gate) {
  const slow = await gate(options)
  summary()
  if (slow.length > 0) process.exit(1)
} else if (options.stages) {
  await benchStages()
  summary()
} else {
  await benchLoaded()
  await benchStages()
  await benchCorpus()
  await benchCode()
  await benchStart()
  await benchWarm()
  await benchChanges()
  benchInvoke()
  benchHelpers()
  await benchAdapters()
  await benchMemory()
  await benchBundle()
  summary()
}
