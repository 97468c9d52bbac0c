import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { skillEntry } from '@modelcontextprotocol/server/ext/skills'
import { validate } from 'skills-ref'
import { expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { makeTree } from '../support/tree.js'

it('the folder skill of init is valid for the specification, and for an MCP server', async () => {
  const cwd = makeTree({ 'package.json': '{}\n' })
  await agentApps(cwd, ['init'])
  const { stdout, status } = await agentApps(cwd, ['check', '--strict', '--spec'])
  expect([stdout, status]).toEqual(['valid under the specification: 1 of 1 folder skill\n', 0])
  const folder = join(cwd, 'skills/release-notes')
  expect(await validate(folder)).toEqual([])
  const paths = ['SKILL.md', 'references/template.md']
  const files = Object.fromEntries(paths.map(path => [path, readFileSync(join(folder, path))]))
  const { frontmatter } = await skillEntry('release-notes', files)
  expect(frontmatter.metadata).toEqual({ tags: 'writing, release' })
})
