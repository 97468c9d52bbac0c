// An agent whose skills are on a server: it searches them, opens what it finds, and reads a file of it.
import { createRuntime } from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { generateText, stepCountIs } from 'ai'
import { model } from './model.js'

const { URL: url = 'http://127.0.0.1:8080/', PIN: integrity } = process.env
const runtime = createRuntime({ paths: [{ url, integrity }] })

// So small a budget describes no skill, and the model has to search.
const skills = await skillTools(runtime, { budget: 60 })
const prompt = 'I had lunch with a customer for 42 euros. How do I get my money back?'
const { text, steps } = await generateText({ ...skills, model, prompt, stopWhen: stepCountIs(9) })
for (const { toolName, input } of steps.flatMap(({ toolCalls }) => toolCalls))
  console.log(`${toolName} ${JSON.stringify(input)}`)
console.log(text)
