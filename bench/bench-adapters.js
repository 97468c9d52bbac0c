import { medians } from './measure.js'
import { heading, ms, row } from './table.js'

/** What each adapter imports of its framework. */
const ADAPTERS = {
  'agent-apps/ai-sdk': ['ai'],
  'agent-apps/langchain': ['@langchain/core/messages', '@langchain/core/tools'],
  'agent-apps/mcp': ['@modelcontextprotocol/server', '@modelcontextprotocol/server/ext/skills'],
}
const RUNS = 10

/** What importing an adapter takes, beside agent-apps with its framework alone, which who uses it has anyway. */
export async function benchAdapters() {
  heading('importing an adapter')
  const script = 'import-entries.js'
  const subjects = { empty: { script: 'empty.js' }, core: { script, args: ['agent-apps'] } }
  for (const [adapter, framework] of Object.entries(ADAPTERS)) {
    subjects[`${adapter} without`] = { script, args: ['agent-apps', ...framework] }
    subjects[adapter] = { script, args: ['agent-apps', ...framework, adapter] }
  }
  const measured = await medians(subjects, RUNS)
  const net = value => ms(value - measured.empty)
  row('agent-apps alone', ms(measured.core), { net: net(measured.core) })
  for (const adapter of Object.keys(ADAPTERS)) {
    const whole = measured[adapter]
    const note = `its framework alone: ${net(measured[`${adapter} without`])}`
    row(adapter, ms(whole), { net: net(whole), note })
  }
}
