// How many skills a catalog describes, and for how many prompts it describes the right one.
import { makeCatalog } from 'agent-apps'
import { goals } from './goals.js'
import { atLeast, heading, row } from './table.js'

const ORDERS = { 'all names first': { namesFirst: true }, 'descriptions first': {} }

/** Shows what catalogs of some tools hold, as a program gets them from `listTools`. */
export async function showCatalogs(collections) {
  heading('a catalog: described, named, only counted')
  for (const tools of collections)
    for (const budget of [4_000, 8_000])
      for (const [order, options] of Object.entries(ORDERS)) {
        const { described, named, unnamed, tokens } = await makeCatalog(tools, { budget, ...options })
        const counts = [described, named, unnamed].map(({ length }) => length.toLocaleString('en-US'))
        row(`${tools.length.toLocaleString('en-US')} skills, ${order}`, `${tokens} tokens`, {
          note: counts.join(', '),
        })
      }
}

/** Judges for how many prompts the right skill is described within 4,000 tokens. */
export async function judgeDescribed(runtime, prompts) {
  heading('the right skill is described in a prompt of 4,000 tokens, in percent')
  const agent = runtime.forAgent()
  for (const [order, options] of Object.entries(ORDERS)) {
    const { described, tokens } = await agent.catalog({ budget: 4_000, ...options })
    const has = prompts.filter(({ skill }) => described.includes(skill)).length
    row(order, percent(has, prompts), { note: `${tokens} tokens` })
  }
  const shares = { budget: 3_200, relevantBudget: 800 }
  let has = 0
  let sum = 0
  let text
  for (const { skill, text: words } of prompts) {
    const made = await agent.catalog({ ...shares, for: words })
    if (text !== undefined && text !== made.text) throw new Error('The catalog depends on the prompt.')
    text = made.text
    sum += made.relevantTokens
    if (made.described.includes(skill) || made.relevantTools.includes(skill)) has++
  }
  const { tokens } = await agent.catalog(shares)
  row(
    'descriptions first, and with `for`',
    percent(has, prompts),
    { note: `${tokens} tokens, and ${Math.round(sum / prompts.length)} on average for the prompt` },
    atLeast((100 * has) / prompts.length, goals.described, ' %'),
  )
}

function percent(count, { length }) {
  return `${((100 * count) / length).toFixed(1)} %`
}
