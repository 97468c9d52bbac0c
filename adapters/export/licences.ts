import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { byText } from './exported-files.js'

/**
 * The licences of the packages whose files went into a bundle: whoever is given it gets their code, and most licences ask
 * for their text to go along.
 *
 * @param files absolute
 */
export function licencesOf(files: readonly string[]): string {
  const folders = new Set(files.flatMap(file => packageOf(file) ?? []))
  const notices = [...folders].map(noticeOf).sort(byText)
  return `${['This server contains code of these packages.', ...new Set(notices)].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/** The folder of the package in `node_modules` that a file is of; null for one that is in none. */
function packageOf(file: string): string | null {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0] ?? null
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >
  const file = readdirSync(folder).find(one => /^licen[cs]e/i.test(one))
  const text = file === undefined ? '' : `\n\n${readFileSync(join(folder, file), 'utf8').trim()}`
  return `${name} ${version} (${typeof license === 'string' ? license : 'see its licence'})${text}`
}
