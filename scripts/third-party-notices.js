// Writes the licences of the packages that are in the library's modules: who installs agent-apps gets their code, and not them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = join(PROJECT, 'skills/.agent-apps')
const NOTICES = join(PROJECT, 'dist/THIRD-PARTY.txt')

/** Licences that ask for no more than their text. */
const ACCEPTED = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD']

const INTRODUCTION = 'The modules in skills/.agent-apps contain code of these packages.'
const packages = packagesIn(MODULES)
writeFileSync(NOTICES, `${[INTRODUCTION, ...packages.map(notice)].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)

/** The folders of all packages that a source map names, sorted. */
function packagesIn(directory) {
  const maps = readdirSync(directory).filter(name => name.endsWith('.mjs.map'))
  const sources = maps.flatMap(name => JSON.parse(readFileSync(join(directory, name), 'utf8')).sources)
  const folders = sources.flatMap(source => {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(resolve(directory, source)) ?? []
    return folder === undefined ? [] : [folder]
  })
  return [...new Set(folders)].sort()
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (!ACCEPTED.includes(license))
    throw new Error(`${name} has the licence ${license}: look at what it asks for.`)
  return `${name} ${version} (${license})\n\n${textOf(folder, name)}`
}

/** The text of a package's licence: every one of those above has to go along with the code. */
function textOf(folder, name) {
  const file = readdirSync(folder).find(one => /^licen[cs]e/i.test(one))
  if (file === undefined) throw new Error(`${name} has no file with its licence.`)
  return readFileSync(join(folder, file), 'utf8').trim()
}
