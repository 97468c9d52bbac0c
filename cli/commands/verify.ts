import { type VerifyResult, verify } from 'agent-apps/compiler'
import { type Command, type Invocation, projectOptions } from '../command.js'
import { fromHere } from '../from-here.js'
import { count, printable } from '../output.js'

export const verifyCommand: Command = {
  name: 'verify',
  positionals: { min: 0, max: Number.POSITIVE_INFINITY },
  options: {},
  example: 'agent-apps verify ./skills',
  async run(invocation) {
    const { output } = invocation
    const result = await verify(projectOptions(invocation))
    if (output.json) output.jsonResult(result)
    else show(result, invocation)
    return result.deviations.length > 0 ? 1 : 0
  },
}

function show({ counts, deviations, absent }: VerifyResult, { output, cwd }: Invocation): void {
  for (const { file, reason, note } of deviations) {
    output.result(`${output.style('red', '✗')} ${printable(fromHere(file, cwd))} ${printable(reason)}`)
    if (!output.quiet) output.result(`  ${output.style('dim', printable(note))}`)
  }
  if (output.verbose) for (const file of absent) output.note(`missing: ${printable(fromHere(file, cwd))}`)
  const missing = absent.length === 0 ? '' : ` · ${count(absent.length)} missing`
  const directories = counts.directories === 1 ? '1 directory' : `${count(counts.directories)} directories`
  if (counts.files === 0) return output.result(`verified nothing: no index can be read in ${directories}`)
  const found = deviations.length === 0 ? 'all' : `${count(deviations.length)} not`
  output.result(`verified ${count(counts.files, 'file')} in ${directories}: ${found} as compiled${missing}`)
}
