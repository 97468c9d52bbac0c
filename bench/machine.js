import { cpus, totalmem } from 'node:os'

/** What the figures were measured on, in a line. */
export function machine() {
  const [{ model }] = cpus()
  const memory = (totalmem() / 2 ** 30).toFixed(0)
  return `${model.trim()}, ${cpus().length} cores, ${memory} GB, ${process.platform}, Node ${process.version}`
}
