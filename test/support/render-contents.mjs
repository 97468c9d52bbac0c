/**
 * Prints, as JSON, what the contents of some skills come to. A process of its own, so that nothing that another one
 * loaded can help. Reads `[{ cwd, paths, freshness, calls: [[name, args?]] }]`.
 */
import { readFileSync } from 'node:fs'
import { createRuntime, registerTool } from 'agent-apps'

const answers = []
for (const job of JSON.parse(readFileSync(0, 'utf8'))) answers.push(await answer(job))
process.stdout.write(JSON.stringify(answers))

async function answer({ calls, registered = [], ...options }) {
  const runtime = createRuntime(options)
  for (const { name, tags } of registered) {
    const fn = async (_ctx, { arg = '', children }) => `<${name} ${arg}${(await children?.()) ?? ''}>`
    registerTool(runtime.globals, { name, tags, fn })
  }
  const results = []
  for (const [name, args] of calls)
    results.push(await outcome(() => runtime.render(name, args ? { args } : undefined)))
  const { parser, via } = runtime.stats()
  return { results, parser, via, diagnostics: runtime.diagnostics().map(({ reason }) => reason) }
}

async function outcome(work) {
  try {
    return { result: await work() }
  } catch ({ code, message, hint }) {
    return { code, message, hint }
  }
}
