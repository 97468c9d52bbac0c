/**
 * Shows what a catalog of real skills holds at several budgets, and how far our estimate of tokens is from two real
 * tokenizers. `node bench/catalog-tokens.js FOLDER`: a folder of collections, each a path entry of its own. Run
 * `npm run build` first.
 */
import { readdirSync } from 'node:fs'
import { createRuntime, estimateTokens, makeCatalog } from 'agent-apps'
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'

const TOKENIZERS = { o200k_base: countO200k, cl100k_base: countCl100k }
const BUDGETS = [1_000, 10_000, 100_000]

const [cwd] = process.argv.slice(2)
if (cwd === undefined) {
  console.error('Usage: node bench/catalog-tokens.js FOLDER')
  process.exit(2)
}
const paths = readdirSync(cwd, { withFileTypes: true })
  .filter(item => item.isDirectory() && !item.name.startsWith('.'))
  .map(item => item.name)
  .sort()
const tools = await createRuntime({ cwd, paths, library: false }).forAgent().listTools()
console.log(`${tools.length} tools that a model is shown\n`)

console.log(`the whole catalog     estimate${Object.keys(TOKENIZERS).map(shownName).join('')}`)
for (const format of ['xml', 'markdown', 'json']) {
  const { text, tokens } = await makeCatalog(tools, { format })
  console.log(`  ${format.padEnd(18)}${shown(tokens)}${comparison(text, tokens)}`)
}
const contents = (await Promise.all(tools.map(tool => tool.content?.()))).join('\n')
console.log(
  `  ${'all contents'.padEnd(18)}${shown(estimateTokens(contents))}${comparison(contents, estimateTokens(contents))}`,
)

console.log('\nwithin a budget, as XML    described     named  left out  estimate  o200k_base         ms')
for (const budget of BUDGETS) {
  const started = performance.now()
  const { text, tokens, described, named, unnamed } = await makeCatalog(tools, { budget })
  const elapsed = performance.now() - started
  const counts = [described.length, named.length, unnamed.length, tokens]
  console.log(
    `  ${budget.toLocaleString('en-US').padEnd(20)}${counts.map(shown).join('')}${comparison(text, tokens, { o200k_base: countO200k })}${shown(Math.round(elapsed))}`,
  )
}
const exact = { allowedSpecial: 'all' }
for (const budget of BUDGETS) {
  const started = performance.now()
  const { tokens, described, named, unnamed } = await makeCatalog(tools, {
    budget,
    countTokens: text => countO200k(text, exact),
  })
  const counts = [described.length, named.length, unnamed.length, tokens]
  const elapsed = Math.round(performance.now() - started)
  console.log(
    `  ${`${budget.toLocaleString('en-US')}, counted`.padEnd(20)}${counts.map(shown).join('')}${''.padEnd(20)}${shown(elapsed)}`,
  )
}

/** What real tokenizers count, and how far the estimate is from it. */
function comparison(text, estimate, tokenizers = TOKENIZERS) {
  return Object.values(tokenizers)
    .map(count => {
      const tokens = count(text, { allowedSpecial: 'all' })
      const off = ((estimate / tokens - 1) * 100).toFixed(1)
      return `${shown(tokens)} (${off.padStart(5)} %)`
    })
    .join('')
}

function shown(number) {
  return number.toLocaleString('en-US').padStart(10)
}

function shownName(name) {
  return name.padStart(20)
}
