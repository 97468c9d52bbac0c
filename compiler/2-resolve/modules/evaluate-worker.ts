/**
 * * Imports a module in a process of its own and sends the metadata of its exports. Authors' code runs here
 * at build time: it may throw, hang, print or exit without harm to the compiler.
 */
import { isDefinedTool } from '../../../src/skill/define-tool.js'
import { notJsonIn } from '../../../src/values/not-json.js'
import { endWithParent } from '../../files/end-with-parent.js'
import type { EvaluationAnswer, EvaluationRequest } from './evaluate-modules.js'

process.once('message', async ({ url, exports }: EvaluationRequest) => {
  let answer: EvaluationAnswer
  try {
    await endWithParent(Number(process.argv[2]))
    const module: Record<string, unknown> = await import(url)
    const found: Record<string, string> = {}
    for (const name of exports) {
      const frontmatter = await frontmatterOf(module, name)
      const notJson = notJsonIn(frontmatter)
      found[name] = JSON.stringify(notJson ? { notJson } : { frontmatter })
    }
    // A rejected promise of the top level is reported now, as a fault of the import.
    await new Promise(setImmediate)
    answer = { found }
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
    answer = { message: String(message), stack: String(stack ?? '') }
  }
  process.send?.(answer)
})

// The compiler has ended, so that nothing is left to do.
process.once('disconnect', () => process.exit())

// In the words of a failed import.
process.on('uncaughtException', error => {
  const { message, stack = '' } = error instanceof Error ? error : { message: String(error) }
  process.send?.({ message, stack } satisfies EvaluationAnswer)
})

async function frontmatterOf(module: Record<string, unknown>, name: string): Promise<unknown> {
  const value = module[name]
  if (isDefinedTool(value)) return value.frontmatter()
  if (typeof value !== 'function') throw new TypeError(`The export "${name}" is not a function.`)
  return module.frontmatter ?? {}
}
