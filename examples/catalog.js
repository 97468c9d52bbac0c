// Shows what a host puts into its prompt, within a budget, and what a model then asks for. Run it with `node examples/catalog.js`.
import { fileURLToPath } from 'node:url'
import { createRuntime, makeCatalog } from 'agent-apps'

const runtime = createRuntime({
  paths: ['skills', 'team-skills'],
  cwd: fileURLToPath(new URL('.', import.meta.url)),
})
const agent = runtime.forAgent({ allowedTools: '* long-words($deny)' })

const { text, tokens, described, named } = await makeCatalog(await agent.listTools(), { budget: 250 })
console.log(text)
console.log(`${described.length} described and ${named.length} named in about ${tokens} tokens\n`)

const { output } = await agent.invoke('agent-discover', { query: 'an incident is over' })
console.log(`for an incident: ${output.tools.map(({ name }) => name).join(', ')}\n`)

const { content, resources } = await agent.invoke('incident')
console.log(content.split('\n')[0], resources)
