// The SDK asks for approval, and another process goes on with the answer. Run it twice:
// `node examples/ai-sdk/approval.js FOLDER`, then with `yes` or `no` after the folder.
import { createRuntime } from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { fileStore } from 'agent-apps/store'
import { generateText, stepCountIs } from 'ai'
import { keepMessages, readMessages } from './kept-messages.js'
import { model } from './model.js'

const [folder, answer] = process.argv.slice(2)
const messages = readMessages(folder, answer)
const store = fileStore(`${folder}/store`)
const runtime = createRuntime({ paths: ['skills'], cwd: import.meta.dirname, store })
const skills = await skillTools(runtime, { approval: 'sdk', policy: { sessionId: 'chat-1' } })
const result = await generateText({ ...skills, model, messages, stopWhen: stepCountIs(9) })
keepMessages(folder, messages, result)
console.log(result.text || 'Shall it be published?')
