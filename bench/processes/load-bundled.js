// From a fresh process to the content of one skill of a bundle.
import { pathToFileURL } from 'node:url'

const [entry, name] = process.argv.slice(2)
const { runtime } = await import(pathToFileURL(entry).href)
const tool = await runtime.findTool(name)
if (tool?.origin.via !== 'bundle') throw new Error(`${name} did not come from the bundle`)
if ((await tool.content()).length === 0) throw new Error('nothing was read')
