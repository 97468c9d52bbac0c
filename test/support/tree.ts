import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { temporary } from './temporary.js'

/** A directory's files by path. A link is `{ link: target }`. */
export type Tree = Record<string, string | Uint8Array | { link: string }>

export function writeTree(directory: string, tree: Tree): void {
  for (const [path, item] of Object.entries(tree)) {
    const file = join(directory, path)
    mkdirSync(dirname(file), { recursive: true })
    if (typeof item === 'object' && 'link' in item) symlinkSync(item.link, file)
    else writeFileSync(file, item)
  }
}

/** A new directory that holds a tree. */
export function makeTree(tree: Tree): string {
  const directory = temporary()
  writeTree(directory, tree)
  return directory
}

/** A skill's text. */
export function skill(name: string, body = `Do ${name}.\n`, more = ''): string {
  return `---\nname: ${name}\ndescription: What ${name} does.\n${more}---\n${body}`
}

/** So many sound skills, as folders `good-0`, `good-1`, … */
export function goodSkills(count: number): Tree {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`good-${index}/SKILL.md`, skill(`good-${index}`)]),
  )
}

/** Everything in a directory: files as base64, links with their targets, folders with their mode; `times` adds mtimes. */
export function snapshot(directory: string, { times = false } = {}): Record<string, string> {
  const items: Record<string, string> = {}
  const visit = (path: string): void => {
    const absolute = join(directory, path)
    const stat = lstatSync(absolute)
    const what = stat.isSymbolicLink()
      ? `link ${readlinkSync(absolute)}`
      : stat.isDirectory()
        ? 'folder'
        : `file ${readFileSync(absolute).toString('base64')}`
    if (path !== '')
      items[path] = `${(stat.mode & 0o777).toString(8)} ${what}${times ? ` ${stat.mtimeMs}` : ''}`
    if (!stat.isDirectory()) return
    for (const name of readdirSync(absolute).sort()) visit(path === '' ? name : `${path}/${name}`)
  }
  visit('')
  return items
}

/** What the compiler wrote into a directory, without what is only this machine's own: path → text. */
export function compiled(directory: string): Record<string, string> {
  const made: Record<string, string> = {
    '.agent-apps.json': readFileSync(join(directory, '.agent-apps.json'), 'utf8'),
  }
  const folder = join(directory, '.agent-apps')
  for (const name of readdirSync(folder).sort()) {
    if (!name.startsWith('cache')) made[`.agent-apps/${name}`] = readFileSync(join(folder, name), 'utf8')
  }
  return made
}

/** Gives every file below a directory a time in the past, or of the caller's choice. */
export function setTimes(directory: string, time = new Date(Date.now() - 3_600_000)): void {
  for (const item of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, item.name)
    if (item.isSymbolicLink()) continue
    if (item.isDirectory()) setTimes(path, time)
    utimesSync(path, time, time)
  }
}
