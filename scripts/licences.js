// The licences of packages whose code goes along with ours.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Licences that ask for no more than their text. */
const ACCEPTED = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD']

/** The folders of the packages that some files belong to, sorted. */
export function packageFolders(files) {
  const folders = files.flatMap(file => {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []
    return folder === undefined ? [] : [folder]
  })
  return [...new Set(folders)].sort()
}

/** An introduction, and the name and the licence of each package in a folder. */
export function noticesOf(introduction, folders) {
  return `${[introduction, ...folders.map(notice)].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
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
