// A model that has skills, and a person who is asked before it publishes. Run it with `node examples/langchain/chat.js`.
import { createRuntime } from 'agent-apps'
import { skillTools } from 'agent-apps/langchain'
import { createAgent } from 'langchain'
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
console.log(skills.systemPrompt)
const { messages } = await createAgent({ model, ...skills }).invoke({ messages: 'Release!' })
console.log(messages.at(-1).text)
