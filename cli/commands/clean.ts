import { clean } from 'agent-apps/compiler'
import { type Command, projectOptions } from '../command.js'
import { fromHere } from '../from-here.js'
import { count, printable } from '../output.js'

export const cleanCommand: Command = {
  name: 'clean',
  positionals: { min: 0, max: Number.POSITIVE_INFINITY },
  options: { 'dry-run': { type: 'boolean', describes: 'list the files instead of deleting them' } },
  example: 'agent-apps clean --dry-run',
  async run(invocation) {
    const { options, output, cwd } = invocation
    const dryRun = options['dry-run'] === true
    const { removed } = await clean({ ...projectOptions(invocation), dryRun })
    if (output.json) output.jsonResult({ removed, dryRun })
    else {
      for (const file of dryRun || output.verbose ? removed : [])
        output.result(printable(fromHere(file, cwd)))
      output.note(`${dryRun ? 'would remove' : 'removed'} ${count(removed.length, 'file')}`)
    }
    return 0
  },
}
