/**
 * Imports modules in a thread of their own and tells what their exports say of themselves. Authors' code runs
 * here at build time: it may throw, hang, print or exit without taking the compiler along.
 */
import { parentPort } from 'node:worker_threads'
import { isDefinedTool } from '../../src/define-tool.js'
import type { EvaluationAnswer, EvaluationRequest } from './evaluate-modules.js'

parentPort?.on('message', async ({ url, exports }: EvaluationRequest) => {
  let answer: EvaluationAnswer
  try {
    const module: Record<string, unknown> = await import(url)
    const found: Record<string, string> = {}
    for (const name of exports) found[name] = asJson(await frontmatterOf(module, name))
    // A promise of the top level that was rejected ends this thread now, while it is clear whose it was.
    await new Promise(setImmediate)
    answer = { found }
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
    answer = { message, stack: stack ?? '' }
  }
  parentPort?.postMessage(answer)
})

async function frontmatterOf(module: Record<string, unknown>, name: string): Promise<unknown> {
  const value = module[name]
  if (isDefinedTool(value)) return value.frontmatter()
  if (typeof value !== 'function') throw new TypeError(`The export "${name}" is not a function.`)
  return module.frontmatter ?? {}
}

function asJson(frontmatter: unknown): string {
  const json = JSON.stringify(frontmatter)
  if (json?.startsWith('{')) return json
  throw new TypeError('The frontmatter is no object.')
}
