import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { createRuntime, type PathEntry } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { serveSkills } from 'agent-apps/mcp'
import { expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { corpus } from '../support/corpus.js'
import { forgetList, listFileOf } from '../support/list-file.js'
import { connectedTo } from '../support/mcp-project.js'
import { temporary } from '../support/temporary.js'

const PATHS: PathEntry[] = ['skills', 'more', { dir: 'acme', namespace: 'acme' }]

const source = corpus()
if (source === null) console.log('corpus: skipped, there is none beside the project and CORPUS names none')

it.skipIf(source === null)(
  'every list and catalog of real skills says by the list of an index what it says by its shards',
  async () => {
    const [byList, byShards] = [temporary(), temporary()]
    const skills = join(byList, 'skills')
    cpSync(source ?? '', skills, { recursive: true, verbatimSymlinks: true })
    // Every name again in a second directory, where it is shadowed, and in a third with a namespace.
    const [first = ''] = readdirSync(skills).filter(name => name.includes('__'))
    for (const copy of ['more', 'acme']) cpSync(join(skills, first), join(byList, copy), { recursive: true })
    writeFileSync(join(byList, 'agent-apps.config.json'), JSON.stringify({ paths: PATHS }))
    await compile({ cwd: byList })
    cpSync(byList, byShards, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
    forgetList(join(byShards, 'skills'))
    expect(readFileSync(listFileOf(skills)).length).toBeGreaterThan(1_000_000)

    const [listed, recorded] = [await said(byList), await said(byShards)]
    expect(listed.tools.length).toBeGreaterThan(3_000)
    expect(listed.commands[0]).toContain('"via": "index"')
    expect(listed.skills.length).toBeGreaterThan(900)
    expect(listed).toEqual(recorded)
    // Asking changed nothing.
    expect(existsSync(listFileOf(skills))).toBe(true)
  },
  600_000,
)

/** All that is said of a project's tools by the library, the command and an MCP server. */
async function said(cwd: string) {
  const open = () => createRuntime({ cwd, paths: PATHS, freshness: 'trust' })
  const runtime = open()
  const tools = (await runtime.listTools()).map(({ name, kind, src, frontmatter, origin }) => ({
    ...{ name, kind, src, frontmatter, origin },
  }))
  const agent = open().forAgent({ deny: 'a*', rules: '-b*' })
  const client = await connectedTo(runtime, serveSkills(runtime, { onRefused: () => {} }))
  const commands: string[] = []
  for (const args of [
    ['list', '--json', '--hidden'],
    ['list', '--tokens'],
    ['catalog', '--json'],
  ])
    commands.push((await agentApps(cwd, args)).stdout)
  const all = {
    tools,
    agents: (await agent.listTools()).map(({ name }) => name),
    catalogs: [await agent.catalog(), await agent.catalog({ budget: 8_000 })],
    skills: (await new SkillsClient(client).list()).skills,
    commands,
  }
  return JSON.parse(JSON.stringify(all).replaceAll(cwd, '')) as typeof all
}
