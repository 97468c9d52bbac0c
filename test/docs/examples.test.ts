import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { afterEach, expect, it, vi } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { ownTools } from '../support/own-tools.js'
import { ROOT } from '../support/processes.js'
import type { Tree } from '../support/tree.js'

const EXAMPLE = join(ROOT, 'examples/middleware')

afterEach(() => void vi.restoreAllMocks())

it.each(['compiled', 'from disk'])('examples/middleware runs as its files say, %s', async way => {
  const { root } = codeProject(filesIn(EXAMPLE))
  if (way === 'compiled') expect((await compile({ cwd: root, paths: ['skills'] })).diagnostics).toEqual([])
  const { explain, invoke, listTools, stats } = createRuntime({ paths: ['skills'], cwd: root })
  const said: string[] = []
  vi.spyOn(console, 'error').mockImplementation((...words) => {
    said.push(words.join(' ').replace(/[\d.]+ ms/, '… ms'))
  })

  expect((await explain('forecast')).chain.map(({ name }) => name)).toEqual([
    'log',
    'timeout',
    'retry',
    'limit',
    'stopwatch',
  ])
  expect((await explain('log')).chain).toEqual([])
  expect(await invoke('forecast', { city: 'Oslo' })).toMatch(/\n\[Cut: 60 of 93 characters\.\]$/)
  expect(said).toEqual([
    '[weather] forecast is called with {"city":"Oslo"}',
    '    forecast took … ms',
    '    limit took … ms',
    '    forecast took … ms',
    '    limit took … ms',
    '    retry took … ms',
    '    timeout took … ms',
    '[weather] forecast gave its result after … ms',
    '    log took … ms',
  ])
  if (way === 'compiled') expect(stats().cascadesComputed).toBe(0)
  expect(await ownTools({ listTools })).toHaveLength(5)
})

it('examples/catalog.js shows a catalog within its budget', () => {
  const shown = execFileSync(process.execPath, [join(ROOT, 'examples/catalog.js')], { encoding: 'utf8' })
  expect(shown).toContain('<name>changelog</name>')
  expect(shown).toMatch(/<also_available>.*word-count<\/also_available>/)
  expect(shown).not.toContain('long-words')
  expect(shown).toContain('for an incident: incident, postmortem')
})

function filesIn(folder: string): Tree {
  const paths = readdirSync(join(folder, 'skills'), { recursive: true, encoding: 'utf8' })
  const files = paths.filter(path => /\.(md|ts)$/.test(path)).map(path => `skills/${path}`)
  return Object.fromEntries(files.map(path => [path, readFileSync(join(folder, path), 'utf8')]))
}
