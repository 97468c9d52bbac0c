import { quantile, run } from './measure.js'

const REPORT_PEAK = new URL('./processes/report-peak.js', import.meta.url).href
/** Milliseconds after which a process is taken not to end. */
const DEADLINE = 600_000

/**
 * Measures whole processes as `medians` does, and what they say: `time` in ms, `peak` of memory in MB, and the number of
 * skills that were `seen`, where it tells. The first round, which warms the cache, is the one that takes memory. A process that fails has a
 * `failure` instead, and is not tried again.
 *
 * @param subjects records with `name`, `script`, `args`, `exits`, `place`, `prepare`, and `repeats`, how often one runs in a round
 * @returns what was measured, by name
 */
export async function measureWhole(subjects, runs) {
  const measured = new Map(subjects.map(({ name }) => [name, { times: [] }]))
  for (let round = 0; round <= runs; round++)
    for (const subject of subjects) await runSubject(subject, measured.get(subject.name), round === 0)
  return new Map([...measured].map(([name, record]) => [name, withTime(record)]))
}

async function runSubject(subject, record, isFirst) {
  for (let repeat = 0; repeat < (isFirst ? 1 : (subject.repeats ?? 1)); repeat++) {
    if (record.failure) return
    try {
      await subject.prepare?.()
      const started = performance.now()
      const output = runOnce(subject, isFirst ? ['--import', REPORT_PEAK] : [])
      if (isFirst) Object.assign(record, heard(output))
      else record.times.push(performance.now() - started)
    } catch (error) {
      record.failure = reason(error)
    }
  }
}

function runOnce({ script, args, exits, place }, nodeFlags) {
  return run(script, args, { nodeFlags, exits, place: { timeout: DEADLINE, ...place } })
}

/** The output of a process: a record of its own, if any, then its peak memory in kB. */
function heard(text) {
  const lines = text.trim().split('\n')
  const record = lines.findLast(line => /^\{"(seen|loaded)":/.test(line))
  const { seen, loaded, peak = Number(lines.at(-1)) } = record ? JSON.parse(record) : {}
  if (loaded === 0) throw new Error('it loaded nothing of the skill')
  return { seen, peak: peak / 2 ** 10 }
}

/** What an error says first, in a line. */
function reason({ message }) {
  const lines = message.split('\n').filter(line => line.trim() !== '')
  return (lines.find(line => /^\s*(\w*Error\b|error\b)/.test(line)) ?? lines[0]).trim().slice(0, 200)
}

function withTime({ times, ...record }) {
  return record.failure ? { failure: record.failure } : { ...record, time: quantile(times, 0.5) }
}
