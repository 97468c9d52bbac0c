// Registers tools of a program's own beside those from disk, and calls them. Run it with `node examples/register-tools.js`.
import { fileURLToPath } from 'node:url'
import {
  createCallbackRef,
  createRuntime,
  defineTool,
  invoke,
  registerTool,
  unregisterTool,
} from 'agent-apps'
import { z } from 'zod'

const cwd = fileURLToPath(new URL('.', import.meta.url))
const runtime = createRuntime({ paths: ['./team-skills', './skills'], cwd })

// A function, under a name that a model knows and a URI that a server gave it.
registerTool(runtime.globals, {
  name: 'get_temperature',
  description: 'Gives the temperature of a city in °C.',
  params: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  src: 'mcp://weather/get_temperature',
  fn: (_ctx, { city }) => ({ city, celsius: city.length }),
})
show("invoke('get_temperature')", await runtime.invoke('get_temperature', { city: 'Oslo' }))
show("invoke('mcp://weather/…')", await runtime.invoke('mcp://weather/get_temperature', { city: 'Rome' }))

// It comes before a skill of the same name, until it is taken away.
registerTool(runtime.globals, { name: 'changelog', description: 'None.', fn: () => 'No changes today.' })
show("invoke('changelog')", await runtime.invoke('changelog'))
unregisterTool(runtime.globals, 'changelog')
show('…unregistered', String(await runtime.invoke('changelog')).trim())

// A callback gets a name of its own, by which others can call it.
const ref = createCallbackRef(runtime.globals, 'on-done', () => 'called back')
show(`invoke('${ref}')`, await runtime.invoke(ref))

// A definition goes to the process's default globals. Its schema checks what it is called with.
await registerTool(
  defineTool({
    name: 'add',
    params: z.object({ numbers: z.array(z.number()) }),
    execute: ({ numbers }) => numbers.reduce((sum, number) => sum + number, 0),
  }),
)
show("invoke('add')", await invoke('add', { numbers: [1, 2, 3] }))
const error = await invoke('add', { numbers: ['one'] }).catch(thrown => thrown)
show('…with a text', `${error.code}: ${error.message}`)

function show(what, result) {
  console.log(`  ${what}`.padEnd(36), typeof result === 'string' ? result : JSON.stringify(result))
}
