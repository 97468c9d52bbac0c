// The SDK asks for approval, and another process goes on with the answer. Run it twice:
// `node examples/ai-sdk/approval.js FOLDER`, then with `yes` or `no` after the folder.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRuntime } from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { fileStore } from 'agent-apps/store'
import { generateText, stepCountIs } from 'ai'
import { model } from './model.js'

const [folder, answer] = process.argv.slice(2)
const file = `${folder}/messages.json`
const messages = existsSync(file) ? JSON.parse(readFileSync(file)) : [{ role: 'user', content: 'Release!' }]
const request = messages.at(-1).content.find?.(part => part.type === 'tool-approval-request')
if (request) {
  const { approvalId } = request
  const response = {
    type: 'tool-approval-response',
    approvalId,
    approved: answer === 'yes',
    reason: 'a person said no',
  }
  messages.push({ role: 'tool', content: [response] })
}
const runtime = createRuntime({
  paths: ['skills'],
  cwd: import.meta.dirname,
  store: fileStore(`${folder}/store`),
})
const skills = await skillTools(runtime, { approval: 'sdk', policy: { sessionId: 'chat-1' } })
const result = await generateText({ ...skills, model, messages, stopWhen: stepCountIs(9) })
// Version 6 has them in `response`.
const { text, responseMessages = result.response.messages } = result
writeFileSync(file, JSON.stringify([...messages, ...responseMessages]))
console.log(text || 'Shall it be published?')
