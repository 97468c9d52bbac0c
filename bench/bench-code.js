import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { compileSubject } from './compile-subject.js'
import { goals } from './goals.js'
import { medians } from './measure.js'
import { options } from './options.js'
import { removeIndex } from './remove-index.js'
import { atMost, heading, ms, row, times } from './table.js'
import { SETTLE, temporaryFolder } from './tree.js'

/** Compiling code skills as a fresh process, beside one bare esbuild call over the same entries. */
export async function benchCode() {
  const count = options.codeSize
  heading(`compile, ${count.toLocaleString('en')} code skills`)
  const folder = temporaryFolder('code')
  const skills = join(folder, 'skills')
  generate(skills, count)
  await sleep(SETTLE)
  const out = join(folder, 'out')
  const compile = compileSubject([skills])
  const measured = await medians(
    {
      empty: { script: 'empty.js' },
      // Making a file takes longer than overwriting one, and compiling from nothing makes them all.
      esbuild: {
        script: 'floor-esbuild.js',
        args: [skills, out],
        prepare: () => rmSync(out, { recursive: true, force: true }),
      },
      cold: { ...compile, prepare: () => removeIndex(skills) },
      unchanged: compile,
      oneChanged: { ...compile, prepare: () => changeOne(join(skills, 'tool-7.skill.ts')) },
    },
    Math.min(options.runs, 5),
  )
  const { empty, esbuild, cold, unchanged, oneChanged } = measured
  const figure = (what, value, goal = null) =>
    row(what, ms(value), { net: ms(value - empty), note: times(value / esbuild, 'floor-esbuild') }, goal)
  figure('floor-esbuild: one call, splitting', esbuild)
  figure('compile, nothing there', cold, atMost(cold / esbuild, goals.code))
  figure('compile, nothing changed', unchanged)
  figure('compile, one skill changed', oneChanged)
  row('modules written when one changed', String(await rewritten(skills, compile)))
}

function generate(skills, count) {
  mkdirSync(skills)
  writeFileSync(
    join(skills, 'split.ts'),
    'export const split = (text: string): string[] => text.split(/\\s+/)\n',
  )
  for (let number = 0; number < count; number++) {
    writeFileSync(
      join(skills, `tool-${number}.skill.ts`),
      `import { defineTool } from 'agent-apps'
import { split } from './split.ts'

interface Arguments { text: string; most?: number }

export default defineTool({
  name: 'tool-${number}',
  description: 'Counts the words of a text, and says whether there are more than ${number}.',
  params: { type: 'object', properties: { text: { type: 'string', description: 'Text to count' } }, required: ['text'] },
  execute: async ({ text, most = ${number} }: Arguments) => {
    const words = split(text).length
    return { words, isMore: words > most }
  },
})
`,
    )
  }
}

let changes = 0

async function changeOne(file) {
  appendFileSync(file, `\nexport const changed${++changes} = true\n`)
  await sleep(SETTLE)
}

/** How many modules a compile writes after one skill changed. */
async function rewritten(skills, compile) {
  const modules = () =>
    new Map(
      readdirSync(join(skills, '.agent-apps'))
        .filter(name => name.endsWith('.mjs'))
        .map(name => [name, statSync(join(skills, '.agent-apps', name)).mtimeMs]),
    )
  const before = modules()
  await medians({ one: { ...compile, prepare: () => changeOne(join(skills, 'tool-9.skill.ts')) } }, 0)
  return [...modules()].filter(([name, time]) => before.get(name) !== time).length
}
