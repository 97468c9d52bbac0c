// The graph stops for approval: `node approval.js FOLDER`. Another process goes on: `node approval.js FOLDER yes` (or no).
import { Command } from '@langchain/langgraph'
import { createRuntime } from 'agent-apps'
import { skillsMiddleware } from 'agent-apps/langchain'
import { fileStore } from 'agent-apps/store'
import { createAgent } from 'langchain'
import { FileSaver } from './file-saver.js'
import { model } from './model.js'

const [folder, answer] = process.argv.slice(2)
const store = fileStore(`${folder}/store`)
const runtime = createRuntime({ paths: ['skills'], cwd: import.meta.dirname, store })
const middleware = [await skillsMiddleware(runtime)]
const agent = createAgent({ model, middleware, checkpointer: new FileSaver(`${folder}/threads`) })
const decision = answer === 'yes' ? { type: 'approve' } : { type: 'reject', message: 'a person said no' }
const input = answer ? new Command({ resume: { decisions: [decision] } }) : { messages: 'Release!' }
const result = await agent.invoke(input, { configurable: { thread_id: 'chat-1' } })
const [question] = result.__interrupt__ ?? []
console.log(question ? question.value.actionRequests[0].description : result.messages.at(-1).text)
