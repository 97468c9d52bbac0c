import type { Element, ElementContent, Root } from 'hast'
import type { Html, Image, ImageReference } from 'mdast'
import type { ComponentChildren, JSX } from 'preact'
import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { visibleText } from '../../src/policy/shown-text.js'
import { Lines, Text } from './text.js'

/** Longer texts are shown as they are written: a hostile one could keep the browser busy. */
const RENDERED_MAX = 200_000
/** Deeper elements are left out. The deepest of a real skill are about ten deep. */
const DEPTH_MAX = 60

/**
 * A Markdown text as elements. No HTML of it becomes any: it is shown as text, since a model reads it. Nothing is loaded: an
 * image is a link.
 */
export function Markdown({ text }: { text: string }): JSX.Element {
  const shown = useMemo(() => rendered(text), [text])
  return <div class="markdown">{shown}</div>
}

const SCHEMA = {
  ...defaultSchema,
  clobberPrefix: 'text-',
  attributes: { ...defaultSchema.attributes, mark: ['className'] },
}

const processor = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRehype, {
    handlers: {
      html: (_: unknown, { value }: Html): ElementContent => ({
        type: 'element',
        tagName: 'code',
        properties: {},
        children: [{ type: 'text', value }],
      }),
      image: (_: unknown, { url, alt }: Image) => imageLink(url, alt ?? ''),
      imageReference: (_: unknown, { alt, identifier }: ImageReference) => imageLink(identifier, alt ?? ''),
    },
  })
  .use(rehypeSanitize, SCHEMA)

function imageLink(url: string, alt: string): Element {
  const label = alt === '' ? 'image' : `image: ${alt}`
  return {
    type: 'element',
    tagName: 'a',
    properties: { href: url },
    children: [{ type: 'text', value: label }],
  }
}

function rendered(text: string): ComponentChildren {
  if (text.length > RENDERED_MAX) return <Unrendered why="It is too long to be rendered here." text={text} />
  try {
    const root = processor.runSync(processor.parse(text))
    return asElements(root, headingLevels(root), 0)
  } catch {
    return <Unrendered why="It cannot be rendered." text={text} />
  }
}

function Unrendered({ why, text }: { why: string; text: string }): JSX.Element {
  return (
    <>
      <p class="aside">{why}</p>
      <pre>
        <Lines>{text}</Lines>
      </pre>
    </>
  )
}

/** The elements that Markdown has, and nothing else. */
const ELEMENTS = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong del hr br table thead tbody tr th td sup a input'.split(
    ' ',
  ),
)
/**
 * The elements of headings, in the order of the text: the page has a heading of its own above those of a text, and none may leave
 * out a level, as authors do.
 */
function headingLevels(root: Root): Map<Element, number> {
  const levels = new Map<Element, number>()
  let last = 1
  const visit = ({ children }: Pick<Root | Element, 'children'>, depth: number): void => {
    for (const child of children) {
      if (child.type !== 'element' || depth > DEPTH_MAX) continue
      const [, written] = /^h([1-6])$/.exec(child.tagName) ?? []
      if (written !== undefined) {
        last = Math.min(6, last + 1, Number(written) + 1)
        levels.set(child, last)
      } else visit(child, depth + 1)
    }
  }
  visit(root, 0)
  return levels
}

function asElements(
  { children }: Pick<Root | Element, 'children'>,
  levels: ReadonlyMap<Element, number>,
  depth: number,
): ComponentChildren {
  if (depth > DEPTH_MAX) return '…'
  return children.map(child => {
    if (child.type === 'text') return <Lines>{child.value}</Lines>
    if (child.type !== 'element' || !ELEMENTS.has(child.tagName)) return null
    const { tagName, properties } = child
    const inner = asElements(child, levels, depth + 1)
    if (tagName === 'a') return <Link to={String(properties.href ?? '')}>{inner}</Link>
    if (tagName === 'input') return <span class="task">{properties.checked ? '☑' : '☐'} </span>
    if (tagName === 'table')
      return (
        <div class="wide" tabIndex={0} role="group" aria-label="Table">
          <table>{inner}</table>
        </div>
      )
    if (tagName === 'pre') return <pre tabIndex={0}>{inner}</pre>
    const start = tagName === 'ol' && typeof properties.start === 'number' ? { start: properties.start } : {}
    const level = levels.get(child)
    return h(level === undefined ? tagName : `h${level}`, { ...start, class: levelOf(tagName) }, inner)
  })
}

function levelOf(tagName: string): string | undefined {
  return /^h[1-6]$/.test(tagName) ? `level-${tagName.slice(1)}` : undefined
}

/** A link of a text: it shows where it leads, and what it opens knows nothing of this page. */
function Link({ to, children }: { to: string; children: ComponentChildren }): JSX.Element {
  const url = /^(?:https?|mailto):/i.test(to) && URL.canParse(to) ? new URL(to) : null
  if (!url)
    return (
      <span class="path" title={visibleText(to)}>
        {children}
      </span>
    )
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow" title={url.href}>
      {children}
      <span class="target">
        <Text>{url.host || url.pathname}</Text>
      </span>
    </a>
  )
}
