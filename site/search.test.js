import assert from 'node:assert'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import MiniSearch from 'minisearch'
import { search } from './search.js'

const CHUNKS = join(import.meta.dirname, 'dist/assets/chunks')
/** Pages that a user looks at before asking in other words. */
const FIRST = 5

/** Questions as users type them into the search, each with the page that answers it. */
const QUESTIONS = [
  ['how do I install it', 'docs/start'],
  ['what is a skill', 'docs/concepts'],
  ['vercel ai sdk tools', 'docs/ai-sdk'],
  ['langchain middleware', 'docs/langchain'],
  ['use my skills in Cursor or Claude Desktop', 'docs/use-mcp'],
  ['mcp server over http', 'docs/mcp'],
  ['cloudflare worker', 'docs/use-hono-cloudflare'],
  ['next.js route', 'docs/use-nextjs'],
  ['publish a claude code plugin', 'docs/export'],
  ['migrate from gray-matter', 'docs/from-gray-matter'],
  ['skills.sh npx skills add', 'docs/from-openskills'],
  ['SKILL.md frontmatter fields', 'docs/skills'],
  ['write a tool in typescript', 'docs/code-skills'],
  ['zod schema for arguments', 'docs/schemas'],
  ['include another file in a skill', 'docs/directives'],
  ['inherit metadata from another skill', 'docs/cascade'],
  ['retry and timeout', 'docs/running'],
  ['wrap every tool call', 'docs/running'],
  ['unit test a skill', 'docs/testing'],
  ['does my description trigger', 'docs/eval'],
  ['ask the user before a tool runs', 'docs/approval'],
  ['allow only some commands', 'docs/patterns'],
  ['forbid a tool for an agent', 'docs/policy'],
  ['subagent', 'docs/agents'],
  ['remember something between calls', 'docs/state'],
  ['redis', 'docs/state'],
  ['too many skills for the prompt', 'docs/catalog'],
  ['skill not found', 'docs/faq'],
  ['index is stale', 'docs/faq'],
  ['hot reload when a file changes', 'docs/watching'],
  ['edit files in a folder', 'docs/workspace'],
  ['run shell commands', 'docs/workspace-processes'],
  ['docker image', 'docs/hosts'],
  ['github actions', 'docs/ci'],
  ['single file bundle', 'docs/deploying'],
  ['is it tampered with', 'docs/integrity'],
  ['load skills from a url', 'docs/http'],
  ['prompt injection', 'docs/remote-security'],
  ['vs code autocomplete', 'docs/editors'],
  ['TOOL_BROKEN', 'docs/errors'],
  ['colon-in-value', 'docs/rules'],
  ['command line options', 'docs/commands'],
  ['how fast is it', 'docs/performance'],
  ['alternatives', 'docs/comparison'],
  ['createRuntime', 'api/agent-apps/functions/createRuntime'],
  ['CompileOptions', 'api/agent-apps/compiler/interfaces/CompileOptions'],
  ['redisStore', 'api/agent-apps/store/functions/redisStore'],
]

const file = readdirSync(CHUNKS).find(name => name.startsWith('@localSearchIndex'))
const built = await import(join(CHUNKS, file))
// The options of VitePress's search box, with ours.
const index = MiniSearch.loadJSON(built.default, {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  ...search.options,
  searchOptions: { boost: { title: 4, text: 2, titles: 1 }, ...search.searchOptions },
})

for (const [question, page] of QUESTIONS)
  test(`“${question}” finds ${page}`, () => {
    const hits = index.search(question).map(({ id }) => id.replace(/^\/|\.html(?:#.*)?$/g, ''))
    const pages = [...new Set(hits)].slice(0, FIRST)
    assert(pages.includes(page), `found ${pages.join(', ')}`)
  })
