import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { thrownText } from '../../src/base/attempt.js'
import { type Command, INTERRUPTED, type Invocation } from '../command.js'
import { collectPage } from '../explore/collect-page.js'
import { encodePage } from '../explore/encode-page.js'
import { servePage } from '../explore/serve-page.js'
import { fromCwd, fromHere } from '../from-here.js'
import { count, printable } from '../output.js'
import { usageError } from '../usage-error.js'

export const explore: Command = {
  name: 'explore',
  positionals: { min: 0, max: Number.POSITIVE_INFINITY },
  options: {
    out: {
      type: 'string',
      value: 'FILE',
      describes: 'write the page as one HTML file that needs no network, in place of serving it',
    },
    baseline: {
      type: 'string',
      value: 'FILE',
      describes: 'show which problems are not in this baseline, and which are gone',
    },
    'no-content': { type: 'boolean', describes: "leave the skills' texts out" },
    library: { type: 'boolean', describes: "include the library's own tools" },
  },
  example: 'agent-apps explore --out skills.html',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { options, output, cwd, signal } = invocation
  const { out } = options
  if (out === undefined) {
    await servePage(invocation)
    return signal.aborted ? INTERRUPTED : 0
  }
  if (typeof out !== 'string' || out === '')
    throw usageError(
      '`--out` of `agent-apps explore` is empty.',
      'Name the file to write: --out skills.html.',
    )
  const page = encodePage(await collectPage(invocation))
  write(resolve(cwd, out), page)
  const bytes = Buffer.byteLength(page)
  if (output.json) output.jsonResult({ written: fromCwd(out, cwd), bytes })
  else output.result(`wrote ${printable(fromHere(out, cwd))}, ${count(Math.ceil(bytes / 1000))} kB`)
  return 0
}

/** @throws USAGE if the file cannot be written */
function write(file: string, page: string): void {
  try {
    writeFileSync(file, page)
  } catch (error) {
    throw usageError(
      `The page cannot be written: ${thrownText(error)}.`,
      'Name a file in a folder that exists: --out skills.html.',
    )
  }
}
