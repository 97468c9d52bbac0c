// Whether a search finds the skill that a user's words are for, and how fast: ours, and others over the same tools.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createRuntime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { judgeDescribed, showCatalogs } from './described-skills.js'
import { goals } from './goals.js'
import { installPeer } from './install-peer.js'
import { machine } from './machine.js'
import { quantile } from './measure.js'
import { atLeast, atMost, heading, ms, row, summary } from './table.js'
import { temporaryFolder } from './tree.js'

const SHARED = fileURLToPath(new URL('../../shared', import.meta.url))
const PROMPTS = process.env.BENCH_SEARCH ?? join(SHARED, 'search/azure')
const CORPUS = process.env.BENCH_CORPUS ?? join(SHARED, 'corpus')
const LARGE = 10_000
/** The weights of fields for engines that take some. */
const BOOST = { name: 3, tags: 2, description: 1.5, body: 0.2 }

if (!existsSync(PROMPTS) || !existsSync(CORPUS)) {
  console.log(
    'skipped: BENCH_SEARCH names no folder of prompts and skills, or BENCH_CORPUS none of collections',
  )
} else await bench()

async function bench() {
  console.log(machine())
  const paths = collections()
  const { runtime, tools } = await opened(paths)
  const prompts = readPrompts(tools)
  console.log(
    `${prompts.length} prompts for ${new Set(prompts.map(({ skill }) => skill)).size} of ${tools.length} skills`,
  )
  heading(
    'first hit right / among five, in percent: all, the half that weights were chosen by, the other half',
  )
  for (const [name, search] of await engines(runtime, tools)) await judge(name, search, prompts)
  heading('milliseconds of processor time for a warm query: the median, and 95 of 100')
  await time(`ours, ${tools.length} skills`, runtime, prompts)
  const many = manyOf(tools)
  await timeCompiles(many)
  const large = await opened([many])
  await time(`ours, ${large.tools.length} skills`, large.runtime, prompts, goals.query)
  // Where the skills of the prompts come first, each catalog describes them.
  await judgeDescribed((await opened(paths.toReversed())).runtime, prompts)
  const listed = await runtime.listTools()
  await showCatalogs([listed.slice(0, 417), listed.slice(0, 4_000), await large.runtime.listTools()])
  summary()
}

/** The folders of skills, copied: those of the prompts first, so that no other takes their names. */
function collections() {
  const folder = temporaryFolder('search')
  cpSync(join(PROMPTS, 'skills'), join(folder, '0-prompts'), { recursive: true })
  const corpus = join(folder, 'corpus')
  const unpack = join(CORPUS, 'unpack.sh')
  if (existsSync(unpack)) execFileSync('sh', [unpack, corpus])
  else cpSync(CORPUS, corpus, { recursive: true })
  const others = readdirSync(corpus, { withFileTypes: true }).filter(item => item.isDirectory())
  return [join(folder, '0-prompts'), ...others.map(({ name }) => join(corpus, name))]
}

async function opened(paths) {
  const runtime = createRuntime({ paths, library: false, freshness: 'trust', evaluate: false })
  const found = await runtime.listTools()
  const tools = await Promise.all(
    found.map(async tool => ({
      name: tool.name,
      tags: tool.frontmatter.tags.join(' '),
      description: tool.frontmatter.description ?? '',
      body: (await tool.content?.()) ?? '',
    })),
  )
  return { runtime, tools }
}

/** Each prompt with its skill. Every second skill is of the half that the weights were chosen by. */
function readPrompts(tools) {
  const known = new Set(tools.map(({ name }) => name))
  const bySkill = Object.entries(JSON.parse(readFileSync(join(PROMPTS, 'prompts.json'), 'utf8')))
  return bySkill.flatMap(([skill, { should_trigger }], number) => {
    if (!known.has(skill)) throw new Error(`There is no skill ${skill}.`)
    return should_trigger.map(text => ({ skill, text, isChosenBy: number % 2 === 0 }))
  })
}

async function engines(runtime, tools) {
  const folder = installPeer({ packages: ['minisearch@7.2.0', '@orama/orama@3.1.18'] })
  const require = createRequire(join(folder, 'package.json'))
  const load = name => import(pathToFileURL(require.resolve(name)).href)
  return [
    ['ours', async text => (await runtime.search(text, { limit: 5 })).map(({ tool }) => tool.name)],
    ['counting words of name, tags and description', wordCount(tools)],
    ['minisearch, four fields with weights', miniSearch(tools, await load('minisearch'))],
    ['@orama/orama, four fields with weights, stemmed', await orama(tools, await load('@orama/orama'))],
  ]
}

/** Counts the words that begin with one of the query, as `agent-discover` did before. */
function wordCount(tools) {
  const wordsOf = text => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const weights = { name: 4, tags: 2, description: 1 }
  const counted = tools.map(tool => ({
    name: tool.name,
    fields: Object.entries(weights).map(([field, weight]) => [wordsOf(tool[field]), weight]),
  }))
  return async text => {
    const wanted = [...new Set(wordsOf(text))].filter(({ length }) => length > 2)
    const scoreOf = ({ fields }) =>
      wanted
        .flatMap(word =>
          fields.map(([words, weight]) => (words.some(one => one.startsWith(word)) ? weight : 0)),
        )
        .reduce((sum, weight) => sum + weight, 0)
    return best(counted.map(tool => ({ name: tool.name, score: scoreOf(tool) })))
  }
}

function best(scored) {
  const found = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
  return found.slice(0, 5).map(({ name }) => name)
}

function miniSearch(tools, { default: MiniSearch }) {
  const index = new MiniSearch({ fields: Object.keys(BOOST), searchOptions: { boost: BOOST } })
  index.addAll(tools.map((tool, id) => ({ id, ...tool })))
  return async text =>
    index
      .search(text)
      .slice(0, 5)
      .map(({ id }) => tools[id].name)
}

async function orama(tools, { create, insertMultiple, search }) {
  const schema = Object.fromEntries(Object.keys(BOOST).map(field => [field, 'string']))
  const index = create({ schema, components: { tokenizer: { stemming: true, language: 'english' } } })
  await insertMultiple(index, tools)
  return async term =>
    (await search(index, { term, boost: BOOST, limit: 5 })).hits.map(({ document }) => document.name)
}

async function judge(name, search, prompts) {
  const halves = { all: [0, 0, 0], chosen: [0, 0, 0], other: [0, 0, 0] }
  const started = process.cpuUsage()
  for (const { skill, text, isChosenBy } of prompts) {
    const found = await search(text)
    for (const counts of [halves.all, isChosenBy ? halves.chosen : halves.other]) {
      counts[0] += found[0] === skill ? 1 : 0
      counts[1] += found.includes(skill) ? 1 : 0
      counts[2]++
    }
  }
  const { user, system } = process.cpuUsage(started)
  const rates = Object.values(halves).map(([first, five, all]) => [(100 * first) / all, (100 * five) / all])
  const shown = rates.map(pair => pair.map(rate => rate.toFixed(1)).join(' / '))
  const [[first, five]] = rates
  const perQuery = `${ms((user + system) / 1000 / prompts.length)} each`
  const isOurs = name === 'ours'
  row(
    name,
    shown[0],
    { note: `${shown[1]}; ${shown[2]}; ${perQuery}` },
    isOurs ? atLeast(first, goals.firstHit, ' %') : null,
  )
  if (isOurs) row('  among five', `${five.toFixed(1)} %`, {}, atLeast(five, goals.amongFive, ' %'))
}

async function time(name, runtime, prompts, goal = null) {
  const agent = runtime.forAgent()
  const times = []
  for (let round = 0; round < 3; round++)
    for (const { text } of prompts) {
      const started = process.cpuUsage()
      await agent.search(text)
      const { user, system } = process.cpuUsage(started)
      if (round > 0) times.push((user + system) / 1000)
    }
  const most = quantile(times, 0.95)
  row(
    name,
    `${quantile(times, 0.5).toFixed(2)} ms`,
    { note: `${most.toFixed(2)} ms` },
    goal && atMost(Number(most.toFixed(2)), goal, ' ms'),
  )
}

/** Compiles a folder in turns with and without a search file, which is there in the end. */
async function timeCompiles(folder) {
  const times = { true: [], false: [] }
  for (const search of [true, false, true, false, true]) {
    writeFileSync(join(folder, 'agent-apps.config.json'), JSON.stringify({ paths: ['.'], search }))
    const started = process.cpuUsage()
    await compile({ cwd: folder, force: true })
    const { user, system } = process.cpuUsage(started)
    times[search].push((user + system) / 1000)
  }
  const made = join(folder, '.agent-apps')
  const file = readdirSync(made).find(name => name.startsWith('search-'))
  const bytes = statSync(join(made, file)).size / LARGE
  row('search file, bytes for each skill', bytes.toFixed(0), {}, atMost(Math.round(bytes), goals.searchBytes))
  const [withFile, without] = [Math.min(...times.true), Math.min(...times.false)]
  const more = Math.round(100 * (withFile / without - 1))
  row(
    'compile of all, with it',
    ms(withFile),
    { note: `${ms(without)} without: ${more} % more` },
    atMost(more, goals.searchCompile, ' %'),
  )
}

/** A folder of so many real skills: all of them, and again under other names. */
function manyOf(tools) {
  const folder = temporaryFolder('many')
  for (let number = 0; number < LARGE; number++) {
    const { name, tags, description, body } = tools[number % tools.length]
    const own = `${name}-${Math.floor(number / tools.length)}`.replace(/[^a-z0-9-]/g, '-')
    const file = join(folder, own, 'SKILL.md')
    mkdirSync(dirname(file), { recursive: true })
    const frontmatter = JSON.stringify({ name: own, description, metadata: { tags } })
    writeFileSync(file, `---\n${frontmatter}\n---\n${body}`)
  }
  return folder
}
