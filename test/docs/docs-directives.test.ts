import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { agentApps } from '../support/commands.js'
import { oneIn } from '../support/long.js'
import { ROOT } from '../support/processes.js'

const PAGE = readFileSync(join(ROOT, 'docs/directives.md'), 'utf8')

/** The files that the page shows, by path. */
const FILES = Object.fromEntries(
  [...PAGE.matchAll(/^```(?:md|js|json) (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', text = '']) => [
    path,
    text,
  ]),
)
/** The commands that it shows, with what they print. */
const COMMANDS = [...PAGE.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block
    .split(/^\$ agent-apps /m)
    .slice(1)
    .map(text => {
      const [command = '', ...printed] = text.split('\n')
      return { command, printed: printed.join('\n') }
    }),
)

it.each(oneIn(2, ['compiled', 'from disk']))('docs/directives.md tells the truth, %s', async way => {
  const { root } = codeProject(FILES)
  if (way === 'compiled') {
    const { diagnostics } = await compile({ cwd: root, paths: ['skills'] })
    expect(diagnostics.map(({ reason }) => reason)).toEqual([])
  }
  expect(COMMANDS.length).toBeGreaterThan(4)
  for (const { command, printed } of COMMANDS) {
    const { stdout, stderr } = await agentApps(root, wordsOf(command))
    expect(stderr, command).toBe('')
    expect(stdout, command).toBe(printed)
  }
})

/** The words of a command, as a shell hands them on. */
function wordsOf(command: string): string[] {
  return execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
}
