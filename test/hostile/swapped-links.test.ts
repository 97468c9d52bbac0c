import fs, { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { makeTree, skill } from '../support/tree.js'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

const OWN = 'skills/good/sub/notes.md'

function project(body = 'Do good.\n'): string {
  const cwd = makeTree({
    'package.json': '{"type":"module"}',
    'skills/good/SKILL.md': skill('good', body),
    [OWN]: 'OWN\n',
    'outside/notes.md': 'SECRET\n',
  })
  mkdirSync(join(cwd, 'aside'))
  return cwd
}

/** Puts a link in the place of something, and gives what takes it back. */
function replace(path: string, target: string): () => void {
  const aside = join(dirname(path), '.aside')
  renameSync(path, aside)
  symlinkSync(target, path)
  return () => {
    rmSync(path)
    renameSync(aside, path)
  }
}

/** What is done to a project as soon as the real path of its file was looked up; the last undoes it once that was opened. */
const SWAPS: Record<string, (cwd: string) => void> = {
  'the file is replaced by a link': cwd => {
    replace(join(cwd, OWN), join(cwd, 'outside/notes.md'))
  },
  'its folder is replaced by a link': cwd => {
    replace(join(cwd, dirname(OWN)), join(cwd, 'outside'))
  },
  'its folder is replaced by a link, and put back': cwd => {
    const putBack = replace(join(cwd, dirname(OWN)), join(cwd, 'outside'))
    const { lstatSync } = fs
    vi.spyOn(fs, 'lstatSync').mockImplementationOnce(((...asked: Parameters<typeof lstatSync>) => {
      putBack()
      return lstatSync(...asked)
    }) as typeof lstatSync)
    syncBuiltinESMExports()
  },
}

/** Does that to a project at the first look-up of its file's real path. */
function swapOnLookUp(cwd: string, swap: (cwd: string) => void): () => number {
  const { native } = realpathSync
  let swapped = 0
  vi.spyOn(realpathSync, 'native').mockImplementation(((path: string) => {
    const real = native(path)
    if (real === join(cwd, OWN) && swapped++ === 0) swap(cwd)
    return real
  }) as typeof native)
  return () => swapped
}

/** The text that a look gives, or what it throws. */
async function seenBy(
  cwd: string,
  swap: (cwd: string) => void,
  look: () => Promise<unknown>,
): Promise<string> {
  const swapped = swapOnLookUp(cwd, swap)
  const seen = await look().then(String, error => `${error.code} ${error.message}`)
  expect(swapped()).toBeGreaterThan(0)
  return seen
}

describe.skipIf(process.platform === 'win32')(
  'a link that is put on the way to a file after that was looked up',
  () => {
    for (const isCompiled of [false, true])
      it.each(Object.entries(SWAPS))(
        `leads to no resource: %s (compiled: ${isCompiled})`,
        async (_, swap) => {
          const cwd = project()
          if (isCompiled) await compile({ cwd, paths: ['skills'] })
          const runtime = createRuntime({ paths: [join(cwd, 'skills')] })
          await runtime.findTool('good')
          const read = async () =>
            new TextDecoder().decode(await runtime.readResource('good', 'sub/notes.md'))
          expect(await seenBy(cwd, swap, read)).toMatch(/^RESOURCE_NOT_FOUND /)
        },
      )

    it.each(Object.entries(SWAPS))(
      'leads to nothing that is included when it is rendered: %s',
      async (_, swap) => {
        const cwd = project(':include[sub/notes.md]\n')
        const runtime = createRuntime({ paths: [join(cwd, 'skills')] })
        expect(await seenBy(cwd, swap, () => runtime.render('good'))).toMatch(/^DIRECTIVE_FAILED /)
      },
    )

    it.each(Object.entries(SWAPS))('leads to nothing that is included at build time: %s', async (_, swap) => {
      const cwd = project(':include[sub/notes.md]\n')
      const found = async () =>
        (await check({ cwd, paths: ['skills'] })).diagnostics.map(({ ruleId }) => ruleId)
      expect(await seenBy(cwd, swap, found)).toContain('directive-failed')
    })

    it.each(Object.entries(SWAPS))('leads to nothing that a bundle holds: %s', async (_, swap) => {
      const cwd = project()
      await compile({ cwd, paths: ['skills'] })
      const bundled = () => compile({ cwd, paths: ['skills'], bundle: 'dist/agent.mjs' })
      await seenBy(cwd, swap, bundled)
      const texts = fs.existsSync(join(cwd, 'dist'))
        ? fs
            .readdirSync(join(cwd, 'dist'), { recursive: true, encoding: 'utf8' })
            .filter(name => /js$/.test(name))
        : []
      for (const name of texts)
        expect(fs.readFileSync(join(cwd, 'dist', name), 'utf8')).not.toContain('SECRET')
    })
  },
)
