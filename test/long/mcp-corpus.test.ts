import { cpSync, readdirSync } from 'node:fs'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { createRuntime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { serveSkills } from 'agent-apps/mcp'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { corpus } from '../support/corpus.js'
import { connectedTo } from '../support/mcp-project.js'
import { temporary } from '../support/temporary.js'

const source = corpus()
if (source === null) console.log('corpus: skipped, there is none beside the project and CORPUS names none')

it.skipIf(source === null)(
  'every real skill that the Skills extension admits is listed, got, verified and read',
  async () => {
    const cwd = temporary()
    cpSync(source ?? '', cwd, { recursive: true, verbatimSymlinks: true })
    const paths = readdirSync(cwd).filter(name => name.includes('__'))
    await compile({ cwd, paths })
    const refused: string[] = []
    const runtime = createRuntime({ cwd, paths, freshness: 'trust' })
    const client = await connectedTo(
      runtime,
      serveSkills(runtime, { onRefused: (_, reason) => void refused.push(reason) }),
    )
    const reader = new SkillsClient(client)
    const { skills } = await reader.list()

    const reasons = reasonsIn(refused)
    console.log(`${skills.length} skills are served under the extension`, reasons)
    const folders = (await runtime.forAgent().listTools()).filter(({ kind }) => kind === 'folder')
    const refusedAll = Object.values(reasons).reduce((sum, count) => sum + count, 0)
    expect(skills.length + refusedAll).toBe(folders.length)
    expect(skills.length).toBeGreaterThan(900)

    // The client's own parser reads a part of YAML: what it does not, it can be given another for.
    const readers = [reader, new SkillsClient(client, { parseFrontmatter: text => parse(text) })]
    const unread: string[] = []
    for (const listed of skills) {
      const { skill } = await reader.get(listed.uri)
      expect(skill).toEqual(listed)
      const manifest = await readers[0]
        ?.read(skill)
        .catch(() => readers[1]?.read(skill).finally(() => unread.push(skill.uri)))
      expect(manifest?.verified).toBe(true)
      for (const { uri } of skill.resources as { uri: string }[]) {
        if (uri !== skill.uri) expect((await reader.read(skill, uri)).verified).toBe(true)
      }
    }
    console.log('with another parser:', unread)
    expect(unread.length).toBeLessThan(5)
  },
  600_000,
)

/** How many skills were refused, by the reason that the extension gives, without what is the skill's own in it. */
function reasonsIn(messages: string[]): Record<string, number> {
  const reasons: Record<string, number> = {}
  for (const message of messages) {
    const reason = message.replace(/"[^"]*"/g, '…')
    reasons[reason] = (reasons[reason] ?? 0) + 1
  }
  return reasons
}
