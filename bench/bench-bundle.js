import { bundleSize } from './bundle-size.js'
import { goals } from './goals.js'
import { atMost, heading, row } from './table.js'

/** The size of the slim runtime. */
export async function benchBundle() {
  heading('slim runtime, one bundle')
  const { bytes, gzip, onDemand, faults } = await bundleSize()
  row('minified', `${bytes.toLocaleString('en')} B`)
  row('minified and gzipped', `${gzip.toLocaleString('en')} B`, {}, atMost(gzip, goals.bundle, ' B'))
  row('imported on demand, gzipped', `${onDemand.toLocaleString('en')} B`)
  for (const fault of faults) console.log(`  FAULT: ${fault}`)
}
