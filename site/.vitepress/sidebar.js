import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PROJECT = join(import.meta.dirname, '../..')

/** The parts of docs/README.md, with the pages of each: the one list that there is. */
const pages = [...read('docs/README.md').matchAll(/^\| \*\*(.+)\*\* \| (.+) \|$/gm)].map(
  ([, part, links]) => ({
    text: part,
    items: [...links.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => itemOf(join('docs', link))),
  }),
)

const entries = Object.entries(JSON.parse(read('package.json')).exports)
  .filter(([, { types }]) => types)
  .map(([entry]) => join('agent-apps', entry).replace(/\/$/, ''))

export const sidebar = {
  '/': pages,
  '/api/': [{ text: 'API', items: entries.map(entry => ({ text: entry, link: `/api/${entry}/` })) }],
}

/** @param {string} page its path in the project */
function itemOf(page) {
  const [, title] = /^# (.+)$/m.exec(read(page))
  return { text: title, link: `/${page.replace(/\.md$/, '')}` }
}

function read(file) {
  return readFileSync(join(PROJECT, file), 'utf8')
}
