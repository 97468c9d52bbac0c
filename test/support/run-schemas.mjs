import { readFileSync } from 'node:fs'
import { createRuntime, invoke, isAgentAppsError, registerTool } from 'agent-apps'

/** Calls tools, found or registered, and prints what each call gave, or what was thrown. */
const { paths, register = [], calls } = JSON.parse(readFileSync(0, 'utf8'))
const { globals, stats } = createRuntime({ paths, freshness: 'trust', library: false })
for (const { name, params } of register) registerTool(globals, { name, params, fn: (_ctx, args) => args })
const answers = []
for (const [ref, args] of calls) {
  try {
    answers.push({ result: await invoke(ref, args, globals) })
  } catch (error) {
    if (!isAgentAppsError(error)) throw error
    answers.push({ code: error.code, issues: error.issues })
  }
}
console.log(JSON.stringify({ answers, via: stats().via }))
