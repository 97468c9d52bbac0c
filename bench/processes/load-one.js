// From a fresh process to the content of one skill, of a directory that may have a namespace.
import { createRuntime } from 'agent-apps/runtime'

const [dir, name, namespace] = process.argv.slice(2)
const paths = [namespace === undefined ? dir : { dir, namespace }]
const tool = await createRuntime({ paths, freshness: 'trust' }).findTool(name)
if (tool?.origin.via !== 'index') throw new Error(`${name} did not come from the index`)
if ((await tool.content()).length === 0) throw new Error('nothing was read')
