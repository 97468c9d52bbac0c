import { run } from './measure.js'
import { options } from './options.js'
import { heading, ms, row } from './table.js'
import { tree } from './tree.js'

const FIGURES = {
  found: 'a name, nothing changed',
  missed: 'a name that is not there, nothing changed',
  listed: 'a list, nothing changed',
  changed: 'a skill that was edited, run',
  addedAtTop: 'a skill that was added at the top, found',
  addedAtTopListed: 'a skill that was added at the top, listed',
  addedBelow: 'a skill that was added below, found',
  addedBelowListed: 'a skill that was added below, listed',
}

/** What a running program pays under `check` from the write of a file to the answer that sees it, in processor time. */
export async function benchChanges() {
  const [, size] = options.developmentSizes
  heading(`a running program under check, ${size} compiled skills: processor time from a write to the answer`)
  const { skills, name, file } = await tree(size)
  run('compile.js', [skills])
  const measured = JSON.parse(run('see-changes.js', [skills, name, file]))
  for (const [figure, what] of Object.entries(FIGURES)) row(what, ms(measured[figure]))
}
