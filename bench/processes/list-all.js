// From a fresh process to the list of all skills.
import { createRuntime } from 'agent-apps/runtime'

const [directory, count] = process.argv.slice(2)
const tools = await createRuntime({ paths: [directory], freshness: 'trust' }).listTools()
if (tools.length !== Number(count)) throw new Error(`${tools.length} tools were listed`)
