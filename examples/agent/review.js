// A skill that a model runs, with a result of a certain form. Run it with `node examples/agent/review.js`.
import { createRuntime } from 'agent-apps'
import { model } from './model.js'

const runtime = createRuntime({ paths: ['skills'], cwd: import.meta.dirname, models: { default: model } })
runtime.globals.events.on('tool:update', ({ title }) => console.log(title))
const { verdict, reason } = await runtime.invoke('review', { change: '1234' })
console.log(`${verdict}: ${reason}`)
