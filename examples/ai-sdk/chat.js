// A model that has skills, and a person who is asked before it publishes. Run it with `node examples/ai-sdk/chat.js`.
import { createRuntime } from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { generateText, stepCountIs } from 'ai'
import { model } from './model.js'

const runtime = createRuntime({
  paths: ['skills'],
  cwd: import.meta.dirname,
  interact: ({ tool, key }) => {
    console.log(`allowed: ${tool} ${key}`)
    return 'allow-once'
  },
})
const skills = await skillTools(runtime)
console.log(skills.instructions)
const { text } = await generateText({ ...skills, model, prompt: 'Release!', stopWhen: stepCountIs(9) })
console.log(text)
