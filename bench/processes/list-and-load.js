// From a fresh process to the list of all skills and the content of one.
import { createRuntime } from 'agent-apps/runtime'

const [directory, name, via] = process.argv.slice(2)
const freshness = via === 'index' ? 'trust' : 'check'
const runtime = createRuntime({ paths: [directory], freshness })
const tools = await runtime.listTools()
const tool = await runtime.findTool(name)
if (tool?.origin.via !== via) throw new Error(`${name} did not come from the ${via}`)
console.log(JSON.stringify({ seen: tools.length, loaded: (await tool.content()).length }))
