import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { ROOT } from '../support/processes.js'

const COMMAND = join(ROOT, 'dist/cli/main.js')
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

it.each(['from disk', 'compiled'])('docs/directives.md tells the truth, %s', async way => {
  const { root } = codeProject(FILES)
  if (way === 'compiled') {
    const { diagnostics } = await compile({ cwd: root, paths: ['skills'] })
    expect(diagnostics.map(({ reason }) => reason)).toEqual([])
  }
  expect(COMMANDS.length).toBeGreaterThan(4)
  for (const { command, printed } of COMMANDS) {
    const shell = `${JSON.stringify(process.execPath)} ${JSON.stringify(COMMAND)} ${command}`
    const { stdout, stderr } = spawnSync('sh', ['-c', shell], { cwd: root, encoding: 'utf8' })
    expect(stderr, command).toBe('')
    expect(stdout, command).toBe(printed)
  }
})
