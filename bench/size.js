import { bundleSize } from './bundle-size.js'
import { goals } from './goals.js'

const { bytes, gzip, onDemand, faults } = await bundleSize()
if (gzip > goals.bundle)
  faults.push(`the slim runtime has ${gzip} bytes gzipped; at most ${goals.bundle} are allowed`)
console.log(
  `slim runtime: ${bytes} bytes minified, ${gzip} gzipped (at most ${goals.bundle}); on demand ${onDemand} more`,
)
for (const fault of faults) console.error(`FAIL: ${fault}`)
process.exitCode = faults.length > 0 ? 1 : 0
