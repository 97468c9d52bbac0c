import type { Element, Nodes, Root } from 'hast'

/** Elements whose content is not visible text of the page. */
const UNSEEN = new Set([
  ...['script', 'style', 'template', 'noscript', 'iframe', 'object', 'embed', 'svg', 'canvas', 'math'],
  ...['title', 'meta', 'link', 'base', 'frame', 'frameset', 'noframes', 'audio', 'video', 'datalist'],
])

/** Inline styles that hide text. Style sheets are not evaluated. */
const HIDING = new RegExp(
  [
    'display:none',
    'visibility:(?:hidden|collapse)',
    '(?:^|;)color:transparent',
    'filter:opacity\\(0\\)',
    'content-visibility:hidden',
    'opacity:0*\\.?0*(?:;|!|%|$)',
    'font-size:0*\\.?0*(?:[a-z%]+)?(?:;|!|$)',
    '(?:left|right|top|bottom|text-indent|margin-left|margin-top):-\\d{3,}',
    'clip:rect\\(0',
    'clip-path:inset\\((?:50|100)%',
    'transform:scale\\(0',
  ].join('|'),
)

/** The deepest nesting. Deeper elements are replaced by their content. */
const DEPTH_MAX = 100
/** The most elements and texts that are kept, far more than a model reads of a page. */
const NODES_MAX = 100_000

/** An element whose children are being visited. */
interface OpenElement {
  children: readonly Nodes[]
  at: number
  /** The visible children; of an element that is too deep, those of the one around it. */
  kept: Nodes[]
  owner: { children: Nodes[] } | null
}

/**
 * Removes hidden elements, scripts and comments from a page, and everything beyond the limits.
 *
 * @returns whether a limit was exceeded
 */
export function keepSeen(tree: Root): boolean {
  const open: OpenElement[] = [opened(tree as Parent)]
  let count = 0
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const child = count > NODES_MAX ? undefined : last.children[last.at++]
    if (child === undefined) {
      if (last.owner) last.owner.children = last.kept
      open.pop()
    } else if (isSeen(child)) {
      count++
      const isFlat = 'children' in child && open.length > DEPTH_MAX
      if (!isFlat) last.kept.push(child)
      if ('children' in child)
        open.push(
          isFlat ? { ...opened(child as Parent), kept: last.kept, owner: null } : opened(child as Parent),
        )
    }
  }
  return count > NODES_MAX
}

type Parent = { children: Nodes[] }

function opened(owner: Parent): OpenElement {
  return { children: owner.children, at: 0, kept: [], owner }
}

function isSeen(node: Nodes): boolean {
  if (node.type === 'element') return !isHidden(node)
  return node.type === 'text'
}

function isHidden({ tagName, properties }: Element): boolean {
  const { hidden, ariaHidden, popover, style, type, open } = properties
  if (UNSEEN.has(tagName)) return true
  if (hidden !== undefined && hidden !== false) return true
  // A popover is initially closed.
  if (popover !== undefined) return true
  if (String(ariaHidden) === 'true') return true
  if (tagName === 'input' && type === 'hidden') return true
  if (tagName === 'dialog' && (open === undefined || open === false)) return true
  return typeof style === 'string' && HIDING.test(withoutComments(style))
}

/** A style without comments, escapes and spaces, as a browser reads it. */
function withoutComments(style: string): string {
  return style
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\\([0-9a-f]{1,6})\s?/gi, (_, code: string) =>
      String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)),
    )
    .replace(/\s+/g, '')
    .toLowerCase()
}
