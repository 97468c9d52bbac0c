/**
 * Imports a module in its own process and sends the metadata of its exports. Authors' code runs here
 * at build time: it may throw, hang, print or exit without harm to the compiler.
 */
import { isAgentAppsError } from '../../../src/base/error.js'
import { isDefinedTool } from '../../../src/own/defined-tool.js'
import type { UnsupportedSchema } from '../../../src/schema/library-schema.js'
import { notJsonIn } from '../../../src/values/not-json.js'
import { endWithParent } from '../../files/child-process.js'
import type { EvaluationAnswer, EvaluationRequest } from './evaluate-modules.js'

process.once('message', async ({ url, exports }: EvaluationRequest) => {
  let answer: EvaluationAnswer
  try {
    await endWithParent()
    process.send?.('started')
    const module: Record<string, unknown> = await import(url)
    const found: Record<string, string> = {}
    for (const name of exports) {
      found[name] = JSON.stringify(await answerOf(module, name))
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

// Reported as an import that fails.
process.on('uncaughtException', error => {
  const { message, stack = '' } = error instanceof Error ? error : { message: String(error) }
  process.send?.({ message, stack } satisfies EvaluationAnswer)
})

/** A schema that cannot be used is a fault of its tool alone. */
async function answerOf(module: Record<string, unknown>, name: string): Promise<object> {
  try {
    const frontmatter = await frontmatterOf(module, name)
    const notJson = notJsonIn(frontmatter)
    return notJson ? { notJson } : { frontmatter }
  } catch (error) {
    if (!isAgentAppsError(error) || error.code !== 'SCHEMA_UNSUPPORTED') throw error
    const { message, hint, part } = error as UnsupportedSchema
    return { unsupported: { message: message.replace(/\.$/, ''), hint, part } }
  }
}

async function frontmatterOf(module: Record<string, unknown>, name: string): Promise<unknown> {
  const value = module[name]
  if (isDefinedTool(value)) return value.frontmatter()
  if (typeof value !== 'function') throw new TypeError(`The export "${name}" is not a function.`)
  return module.frontmatter ?? {}
}
