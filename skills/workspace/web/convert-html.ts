import type { Element, Nodes, Root } from 'hast'
import { defaultSchema } from 'hast-util-sanitize'
import { toText } from 'hast-util-to-text'
import { gfmToMarkdown } from 'mdast-util-gfm'
import rehypeParse from 'rehype-parse'
import rehypeRemark from 'rehype-remark'
import rehypeSanitize from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import remarkStringify from 'remark-stringify'
import { unified } from 'unified'
import { keepSeen } from './hidden-elements.js'

export type PageFormat = 'markdown' | 'text' | 'html'

export interface ConvertedPage {
  text: string
  /** Empty if the page has none. */
  title: string
  /** True if the page was too long to convert it all. */
  isCut: boolean
}

/** Converts the visible content of a page, with absolute URLs. */
export async function convertHtml(html: string, url: string, format: PageFormat): Promise<ConvertedPage> {
  const tree = unified().use(rehypeParse).parse(html)
  const title = titleOf(tree)
  completeLinks(tree, url)
  const isCut = keepSeen(tree)
  const clean = (await unified().use(rehypeSanitize, SCHEMA).run(tree)) as Root
  for (const element of elementsOf(clean)) if (leadsNowhere(element)) element.tagName = 'span'
  return { text: withoutTags(await written(clean, format)).trim(), title, isCut }
}

/** Ids are of no use outside the page, and need no prefix. */
const SCHEMA = { ...defaultSchema, clobber: [] }

/** True for a link without a safe URL or without content. */
function leadsNowhere({ tagName, properties, children }: Element): boolean {
  return tagName === 'a' && (!properties.href || children.length === 0)
}

async function written(tree: Root, format: PageFormat): Promise<string> {
  if (format === 'text') return toText(tree)
  if (format === 'html') return unified().use(rehypeStringify).stringify(tree)
  const processor = unified()
    .data('toMarkdownExtensions', [gfmToMarkdown()])
    .use(rehypeRemark)
    .use(remarkStringify, { bullet: '-', rule: '-' })
  return processor.stringify((await processor.run(tree)) as never)
}

/** Removes invisible tag characters, except those of flags. */
function withoutTags(text: string): string {
  return text.replace(/(\u{1f3f4}[\u{e0020}-\u{e007e}]{1,6}\u{e007f})|[\u{e0000}-\u{e007f}]/gu, '$1')
}

function titleOf(tree: Root): string {
  const title = elementsOf(tree).find(({ tagName }) => tagName === 'title')
  return title ? toText(title).replace(/\s+/g, ' ').trim().slice(0, 200) : ''
}

/** Makes the URLs of links and images absolute. */
function completeLinks(tree: Root, url: string): void {
  const elements = elementsOf(tree)
  const { href } = elements.find(({ tagName }) => tagName === 'base')?.properties ?? {}
  const base = typeof href === 'string' && URL.canParse(href, url) ? new URL(href, url).href : url
  for (const { properties } of elements)
    for (const name of ['href', 'src'])
      if (typeof properties[name] === 'string' && URL.canParse(properties[name], base))
        properties[name] = new URL(properties[name], base).href
}

/** All elements in document order, without recursion, since pages may nest deeply. */
function elementsOf(tree: Root): Element[] {
  const found: Element[] = []
  const open: Nodes[] = [tree]
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === 'element') found.push(node)
    if ('children' in node) open.push(...node.children.toReversed())
  }
  return found
}
