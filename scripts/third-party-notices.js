// Writes the licences of the packages that are in the library's modules: who installs agent-apps gets their code, and not them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { noticesOf, packageFolders } from './licences.js'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = join(PROJECT, 'skills/.agent-apps')
const NOTICES = join(PROJECT, 'dist/THIRD-PARTY.txt')

const INTRODUCTION = 'The modules in skills/.agent-apps contain code of these packages.'
writeFileSync(NOTICES, noticesOf(INTRODUCTION, packageFolders(sourcesIn(MODULES))))

/** The files that the source maps of a folder name, absolute. */
function sourcesIn(directory) {
  const maps = readdirSync(directory).filter(name => name.endsWith('.mjs.map'))
  return maps.flatMap(name =>
    JSON.parse(readFileSync(join(directory, name), 'utf8')).sources.map(source => resolve(directory, source)),
  )
}
