import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const list = text => text.split(' ')
const TASKS = list('plan review write check compare translate summarize schedule archive estimate')
const THINGS = list('contract invoice roadmap survey budget newsletter inventory payroll warranty itinerary')
const PLACES = list('sales customer legal finance warehouse research design training security logistics')
const TIMES = list('daily weekly monthly quarterly')

/** Writes a folder of so many skills, each about something else. */
export function generateSkills(folder, count) {
  const all = TIMES.flatMap(time =>
    PLACES.flatMap(place => THINGS.flatMap(thing => TASKS.map(task => ({ time, place, thing, task })))),
  )
  for (const { time, place, thing, task } of all.slice(0, count)) {
    const name = `${time}-${place}-${thing}-${task}`
    const description = `How to ${task} the ${time} ${thing} for the ${place} team.`
    mkdirSync(join(folder, place, name), { recursive: true })
    const text = `# ${thing}\n\nBegin with the last ${thing}, and ${task} what has changed since.\n`
    writeFileSync(
      join(folder, place, name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: ${description}\n---\n${text}`,
    )
  }
}
