import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { ROOT } from '../support/processes.js'
import { makeTree } from '../support/tree.js'

const PAGE = readFileSync(join(ROOT, 'docs/export.md'), 'utf8')
const FILES = Object.fromEntries(
  [...PAGE.matchAll(/^```(?:md|js|json) (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', text = '']) => [
    path,
    text,
  ]),
)
const COMMANDS = [...PAGE.matchAll(/^\$ agent-apps (.*)\n((?:[^$`].*\n)*)/gm)]

it('docs/export.md tells the truth', { tags: 'long' }, async () => {
  const cwd = makeTree(FILES)
  expect(COMMANDS).toHaveLength(3)
  for (const [, command = '', printed] of COMMANDS) {
    const { stdout, stderr } = await agentApps(cwd, command.split(' '))
    expect(stderr, command).toBe(printed)
    expect(stdout, command).toBe('')
  }
})
