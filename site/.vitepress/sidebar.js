import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PROJECT = join(import.meta.dirname, '../..')

/** The parts of docs/README.md, with the pages of each: the one list that there is. */
export const sidebar = [...read('docs/README.md').matchAll(/^\| \*\*(.+)\*\* \| (.+) \|$/gm)].map(
  ([, part, pages]) => ({
    text: part,
    collapsed: false,
    items: [...pages.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => itemOf(join('docs', link))),
  }),
)

/** @param {string} page its path in the project */
function itemOf(page) {
  const [, title] = /^# (.+)$/m.exec(read(page))
  return { text: title, link: `/${page.replace(/\.md$/, '')}` }
}

function read(file) {
  return readFileSync(join(PROJECT, file), 'utf8')
}
