// Loaded before a script: says, when that ends, how much memory it took at most, in kB.
import { writeSync } from 'node:fs'

process.on('exit', () => writeSync(1, `${process.resourceUsage().maxRSS}\n`))
