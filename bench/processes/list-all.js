// From a fresh process to the list of all skills.
import { createRuntime } from 'agent-apps/runtime'

const [directory, count] = process.argv.slice(2)
const tools = await createRuntime({ paths: [directory], freshness: 'trust' }).listTools()
const own = tools.filter(({ origin }) => origin.layer !== 'bundled')
if (own.length !== Number(count)) throw new Error(`${own.length} tools were listed`)
