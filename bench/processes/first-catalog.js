// From a fresh process to the first catalog of an agent within a budget.
import { createRuntime } from 'agent-apps/runtime'

const [directory, budget] = process.argv.slice(2)
const agent = createRuntime({ paths: [directory], freshness: 'trust' }).forAgent()
const { tokens, described, named } = await agent.catalog({ budget: Number(budget) })
const shown = described.length + named.length
if (tokens > budget || shown === 0) throw new Error(`${tokens} tokens for ${shown} skills`)
