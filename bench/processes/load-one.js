// From a fresh process to the content of one skill.
import { createRuntime } from 'agent-apps/runtime'

const [directory, name] = process.argv.slice(2)
const tool = await createRuntime({ paths: [directory], freshness: 'trust' }).findTool(name)
if (tool?.origin.via !== 'index') throw new Error(`${name} did not come from the index`)
if ((await tool.content()).length === 0) throw new Error('nothing was read')
