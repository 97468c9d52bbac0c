// Loaded before a script: writes, when that ends, how much processor time it took, in ms, to the file that
// CPU_FILE names. CPU_SLOWER makes it take that many times as long before, for trying the gate.
import { writeFileSync } from 'node:fs'

const used = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

process.on('exit', () => {
  const end = used() * Number(process.env.CPU_SLOWER ?? 1)
  while (used() < end);
  writeFileSync(process.env.CPU_FILE, String(used()))
})
