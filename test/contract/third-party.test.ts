import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../support/processes.js'

const MODULES = join(ROOT, 'skills/.agent-apps')
const textOf = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8')

it('the licence of each package whose code is in the library goes along with it', () => {
  const maps = readdirSync(MODULES).filter(name => name.endsWith('.map'))
  const sources = maps.flatMap(name => JSON.parse(textOf('skills/.agent-apps', name)).sources as string[])
  const folders = sources.flatMap(source => {
    const path = resolve(MODULES, source)
    return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
  })
  expect(folders.some(folder => folder.endsWith('/undici'))).toBe(true)
  const notices = textOf('dist/THIRD-PARTY.txt')
  for (const folder of new Set(folders)) {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect(notices).toContain(`\n${name} ${version} (`)
    const licence = readdirSync(folder).find(file => /^licen[cs]e/i.test(file)) ?? ''
    expect(notices).toContain(readFileSync(join(folder, licence), 'utf8').trim())
  }
})

it('the page of `agent-apps explore` has the licences of the packages in it', () => {
  const licences = textOf('dist/explore/licences.txt')
  for (const name of ['preact', '@tanstack/virtual-core', 'micromark', 'rehype-sanitize']) {
    const { version } = JSON.parse(textOf('node_modules', name, 'package.json'))
    expect(licences).toContain(`\n${name} ${version} (MIT)`)
    expect(licences).toContain(textOf('node_modules', name, licenceOf(name)).trim())
  }
})

function licenceOf(name: string): string {
  return readdirSync(join(ROOT, 'node_modules', name)).find(file => /^licen[cs]e/i.test(file)) ?? ''
}

it('who installs agent-apps installs no package of the library', () => {
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json'))
  const files = readdirSync(join(ROOT, 'skills'), { recursive: true, encoding: 'utf8' })
  const code = files.filter(name => name.endsWith('.ts')).map(name => textOf('skills', name))
  const imported = new Set(
    code.flatMap(text =>
      [...text.matchAll(/^import (?!type\b).*? from '((?:@[\w-]+\/)?[a-z][\w.-]*)[^:']*'$/gm)].map(
        ([, name = '']) => name,
      ),
    ),
  )
  imported.delete('agent-apps')
  expect(imported).toContain('undici')
  // What the compiler needs itself is there anyway.
  const own = new Set(
    readdirSync(join(ROOT, 'compiler'), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .flatMap(name =>
        Object.keys(dependencies).filter(one => textOf('compiler', name).includes(`'${one}'`)),
      ),
  )
  for (const name of imported) {
    expect({ ...dependencies, ...devDependencies }, name).toHaveProperty([name])
    if (!own.has(name)) expect(dependencies, name).not.toHaveProperty([name])
  }
})
