import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { skillSource } from 'agent-apps/mcp'
import { generateSkills } from './generate-skills.js'

/** What a page of `skills/list` costs, the first and the last: `node bench/bench-mcp.js [SKILLS]`. */
const count = Number(process.argv[2] ?? 10_000)
const ROUNDS = 3

const cwd = mkdtempSync(join(tmpdir(), 'agent-apps-bench-mcp-'))
try {
  generateSkills(join(cwd, 'skills'), count)
  await compile({ cwd, paths: ['skills'] })
  // Listings come only from the index.
  removeSkills(join(cwd, 'skills'))
  const source = skillSource(createRuntime({ paths: ['skills'], cwd, freshness: 'trust' }))
  const rounds = []
  for (let round = 0; round <= ROUNDS; round++) rounds.push(await pages(source))
  const [cold, ...warm] = rounds
  const shown = times => {
    const third = Math.floor(times.length / 3)
    const [first, middle, last] = [times.slice(1, third), times.slice(third, -third), times.slice(-third)]
    return [times.slice(0, 1), first, middle, last].map(part => `${median(part).toFixed(1)} ms`).join(', ')
  }
  console.log(
    `${count} skills, ${cold.length} pages: the first page, and the median of each third of the others`,
  )
  console.log(`  first round  ${shown(cold)}`)
  for (const times of warm) console.log(`  again        ${shown(times)}`)
} finally {
  rmSync(cwd, { recursive: true })
}

async function pages(source) {
  const times = []
  let cursor
  do {
    const started = performance.now()
    const page = await source.list(cursor === undefined ? {} : { cursor })
    times.push(performance.now() - started)
    if (page.skills.length === 0) throw new Error('A page is empty.')
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return times
}

/** Leaves the index, so that reading a skill would fail. */
function removeSkills(directory) {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith('.')) rmSync(join(directory, name), { recursive: true })
  }
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
