// Fails on links of the built pages that lead to no file or to no anchor of the site. VitePress looks at some of the files only.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const SITE = join(import.meta.dirname, 'dist')
const ORIGIN = 'https://site.invalid'

const pages = readdirSync(SITE, { recursive: true }).filter(name => name.endsWith('.html'))
const anchors = new Map(pages.map(page => [page, anchorsIn(page)]))
const links = pages.flatMap(page => linksIn(page).map(link => ({ page, link })))
const dead = links.filter(({ page, link }) => isDead(page, link))

for (const { page, link } of dead) console.error(`${page}: ${link} is dead`)
console.log(
  `${links.length - dead.length} links lead somewhere, ${dead.length} are dead, on ${pages.length} pages`,
)
process.exitCode = dead.length > 0 || links.length === 0 ? 1 : 0

function isDead(page, link) {
  const { origin, pathname, hash } = new URL(link, `${ORIGIN}/${page}`)
  if (origin !== ORIGIN) return false
  const path = decodeURIComponent(pathname.slice(1))
  const file = path === '' || path.endsWith('/') ? `${path}index.html` : path
  if (!existsSync(join(SITE, file)) || statSync(join(SITE, file)).isDirectory()) return true
  return hash !== '' && !anchors.get(file)?.has(decodeURIComponent(hash.slice(1)))
}

/** Links of the page, and of the images and scripts in it, without those that lead out of the site. */
function linksIn(page) {
  const found = html(page).matchAll(/ (?:href|src|srcset)="([^"]+)"/g)
  return [...found]
    .map(([, link]) => link.replaceAll('&amp;', '&'))
    .filter(link => !/^(?:https?|data|mailto):/.test(link))
}

function anchorsIn(page) {
  return new Set([...html(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id.replaceAll('&amp;', '&')))
}

function html(page) {
  return readFileSync(join(SITE, page), 'utf8')
}
