import type { PublishResult } from 'agent-apps/compiler'
import { type Command, type Invocation, projectOptions } from '../command.js'
import { fromCwd, fromHere } from '../from-here.js'
import { count, printable } from '../output.js'
import { usageError } from '../usage-error.js'

export const publishCommand: Command = {
  name: 'publish',
  positionals: { min: 0, max: 1 },
  options: {
    to: {
      type: 'string',
      value: 'DIR',
      describes: 'write the release to this folder, which a static server gives',
    },
    'dry-run': { type: 'boolean', describes: 'show what would change, and write nothing' },
  },
  example: 'agent-apps publish ./skills --to public',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { options, output, cwd } = invocation
  const { to } = options
  if (typeof to !== 'string' || to === '')
    throw usageError('A release needs a folder.', 'Name it: agent-apps publish ./skills --to public')
  const { publish } = await import('agent-apps/compiler')
  const dryRun = options['dry-run'] === true
  const result = await publish({ ...projectOptions(invocation), to, dryRun })
  if (output.json) output.jsonResult({ ...result, dir: fromCwd(result.dir, cwd), dryRun })
  else show(result, invocation, dryRun)
  return 0
}

function show(result: PublishResult, { output, cwd }: Invocation, dryRun: boolean): void {
  const { pin, skills, added, changed, removed, code, leftOut, isCompared, dir, written } = result
  // At first, all are added.
  for (const name of isCompared ? added : []) output.note(printable(`+ ${name}`))
  for (const name of changed) output.note(printable(`~ ${name}`))
  for (const name of removed) output.note(printable(`- ${name}`))
  for (const { tool, reason } of leftOut) output.note(printable(`left out: ${tool} ${reason}`))
  for (const { tool, reason } of code) output.note(printable(`only listed: ${tool} ${reason}`))
  const compared = isCompared
    ? `${count(added.length)} added, ${count(changed.length)} changed, ${count(removed.length)} removed`
    : 'no release before'
  const verb = dryRun ? 'would publish' : 'published'
  const files = `${count(written, 'file')} ${dryRun ? 'to write' : 'written'}`
  output.note(
    `${verb} ${count(skills, 'skill')} to ${printable(fromHere(dir, cwd))} · ${compared} · ${files}`,
  )
  output.result(pin)
}
