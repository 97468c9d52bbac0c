import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

const PROJECT = join(import.meta.dirname, '../..')
/** The files of the project that pages link to, and that are not pages. */
const linked = new Set()

/** Makes links from pages to other files of the project lead to the site's copies of them. */
export function linkSources(md) {
  md.core.ruler.push('link-sources', ({ tokens, env }) => {
    for (const link of tokens.flatMap(({ children }) => children ?? [])) {
      const href = link.attrGet('href')
      if (link.type !== 'link_open' || /^\w+:|^#|^\/|\.md(?:#|$)/.test(href)) continue
      const file = join(dirname(env.relativePath), href)
      linked.add(file)
      link.attrSet('href', `/source/${file}.txt`)
    }
  })
}

/** Puts the files that pages linked to into the site, as text, which every browser shows. */
export function copySources({ outDir }) {
  for (const file of linked) {
    const copy = join(outDir, 'source', `${file}.txt`)
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(join(PROJECT, file), copy)
  }
}
