// Loaded before a script: writes, when that ends, how much processor time its process took, in ms, to the file that
// CPU_FILE names. CPU_SLOWER makes the script take that many times as long before, for trying the gate.
import { writeFileSync } from 'node:fs'

const used = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const start = used()

process.on('exit', () => {
  const end = start + (used() - start) * Number(process.env.CPU_SLOWER ?? 1)
  while (used() < end);
  writeFileSync(process.env.CPU_FILE, String(used()))
})
