import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { compile, publish } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { COMMAND } from '../support/commands.js'
import { times } from '../support/long.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill } from '../support/tree.js'

const ROUNDS = times(4, 40)
const SKILLS = 300

it(`a killed publish leaves the release before it whole, and two processes at once end it, ${ROUNDS} times`, async () => {
  const to = temporary()
  let before = await skillsOf(0)
  await publish({ paths: [before], to })
  let kills = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const skills = await skillsOf(round)
    const written = filesOf(to).length
    const killed = publishing(skills, to)
    // It dies among its files.
    while (filesOf(to).length === written && killed.exitCode === null) await sleep(1)
    await sleep(Math.random() * 300)
    killed.kill('SIGKILL')
    if (killed.exitCode === null && killed.signalCode === null) await once(killed, 'exit')
    if (killed.signalCode !== null) {
      kills++
      expect(wrongNames(to)).toEqual([])
      expect(await isLatest(to, before)).toBe(true)
    }

    const both = [publishing(skills, to), publishing(skills, to)]
    const exits = Promise.all(both.map(child => once(child, 'exit')))
    const pins = await Promise.all(both.map(({ stdout }) => text(stdout)))
    expect(await exits).toEqual([
      [0, null],
      [0, null],
    ])
    expect(pins[0]).toMatch(/^sha256-[0-9a-f]{64}\n$/)
    expect(pins[1]).toBe(pins[0])
    expect(wrongNames(to)).toEqual([])
    expect(await isLatest(to, skills)).toBe(true)
    before = skills
  }
  expect(kills).toBeGreaterThan(0)
})

async function skillsOf(round: number): Promise<string> {
  const names = Array.from({ length: SKILLS }, (_, number) => `skill-${number}`)
  const dir = makeTree(
    Object.fromEntries(names.map(name => [`${name}/SKILL.md`, skill(name, `${name}, ${round}.\n`)])),
  )
  await compile({ paths: [dir] })
  return dir
}

function publishing(skills: string, to: string): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, [COMMAND, 'publish', skills, '--to', to], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** The files of a release, without temporary files that a killed publish left. */
function filesOf(to: string): string[] {
  const named = ['f', 's', 'h'].flatMap(folder =>
    readdirSync(join(to, folder)).map(name => `${folder}/${name}`),
  )
  return named.filter(name => !name.endsWith('.tmp'))
}

/** Files whose bytes do not fit their name. A search file, which is no JSON, is named by its directory alone. */
function wrongNames(to: string): string[] {
  return filesOf(to).filter(name => {
    const bytes = readFileSync(join(to, name))
    const isSearchFile = name.startsWith('s/') && !/^[[{]/.test(bytes.toString('latin1', 0, 1))
    return !isSearchFile && !hash('sha256', bytes).startsWith(name.slice(2).replace('.json', ''))
  })
}

/** Tells whether `latest.json` names the release of the skills, and all files of that are there. */
async function isLatest(to: string, skills: string): Promise<boolean> {
  const { pin, written } = await publish({ paths: [skills], to, dryRun: true })
  const latest = JSON.parse(readFileSync(join(to, 'latest.json'), 'utf8'))
  return latest.header === pin && written === 0
}
