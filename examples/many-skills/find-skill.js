// A model that finds one of 4,000 skills by the words of the user, follows it, and runs a tool. Run it with `node examples/many-skills/find-skill.js`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { compile } from 'agent-apps/compiler'
import { generateText, stepCountIs } from 'ai'
import { generateSkills } from './generate-skills.js'
import { model } from './model.js'

const generated = mkdtempSync(join(tmpdir(), 'many-skills-'))
try {
  generateSkills(generated, 4000)
  await compile({ paths: [generated], cwd: generated })
  const runtime = createRuntime({ paths: [generated, 'skills'], cwd: import.meta.dirname })

  const skills = await skillTools(runtime)
  const [counted] = skills.instructions.match(/<not_listed>[\s\S]*<\/not_listed>/) ?? []
  console.log(counted)
  const prompt = 'I had lunch with a customer for 42 euros. How do I get my money back?'
  const { text, steps } = await generateText({ ...skills, model, prompt, stopWhen: stepCountIs(9) })
  for (const { toolName, input } of steps.flatMap(({ toolCalls }) => toolCalls))
    console.log(`${toolName} ${JSON.stringify(input)}`)
  console.log(text)
} finally {
  rmSync(generated, { recursive: true })
}
