/** Calls tools of the library in a runtime with options, and prints their results: `{ options, calls: [[name, args]] }`. */
import { createRuntime } from 'agent-apps'

let question = ''
for await (const part of process.stdin) question += part
const { options, calls } = JSON.parse(question)
const runtime = createRuntime(options)
const results = []
for (const [name, args] of calls) results.push(await runtime.invoke(name, args))
process.stdout.write(JSON.stringify(results))
