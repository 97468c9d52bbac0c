import type { Element, Nodes, Root } from 'hast'

/** Elements that show nothing of what is in them, or something that is not text of the page. */
const UNSEEN = new Set([
  ...['script', 'style', 'template', 'noscript', 'iframe', 'object', 'embed', 'svg', 'canvas', 'math'],
  ...['title', 'meta', 'link', 'base', 'frame', 'frameset', 'noframes', 'audio', 'video', 'datalist'],
])

/** Styles by which a text that is there is not seen. A sheet of styles may hide more, which is not known here. */
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

/** How deep elements stay inside each other. Deeper ones are taken for what is in them. */
const DEPTH_MAX = 100
/** The most elements and texts that are kept: what a model reads of a page is far less. */
const NODES_MAX = 100_000

/** An element whose children are being gone through. */
interface Place {
  children: readonly Nodes[]
  at: number
  /** The rest of them: for an element that is too deep, in the list of the one around it. */
  kept: Nodes[]
  owner: { children: Nodes[] } | null
}

/**
 * Leaves of a page what its reader sees, as far as that is not too much: no hidden elements, scripts and
 * comments.
 *
 * @returns whether something was too much
 */
export function keepSeen(tree: Root): boolean {
  const open: Place[] = [placeOf(tree as Parent)]
  let count = 0
  for (let place = open.at(-1); place; place = open.at(-1)) {
    const child = count > NODES_MAX ? undefined : place.children[place.at++]
    if (child === undefined) {
      if (place.owner) place.owner.children = place.kept
      open.pop()
    } else if (isSeen(child)) {
      count++
      const isFlat = 'children' in child && open.length > DEPTH_MAX
      if (!isFlat) place.kept.push(child)
      if ('children' in child)
        open.push(
          isFlat ? { ...placeOf(child as Parent), kept: place.kept, owner: null } : placeOf(child as Parent),
        )
    }
  }
  return count > NODES_MAX
}

type Parent = { children: Nodes[] }

function placeOf(owner: Parent): Place {
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
  // It is shown only while it is open, which a page cannot begin with.
  if (popover !== undefined) return true
  if (String(ariaHidden) === 'true') return true
  if (tagName === 'input' && type === 'hidden') return true
  if (tagName === 'dialog' && (open === undefined || open === false)) return true
  return typeof style === 'string' && HIDING.test(withoutComments(style))
}

/** A style as a browser reads it: without comments, escapes and spaces. */
function withoutComments(style: string): string {
  return style
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\\([0-9a-f]{1,6})\s?/gi, (_, code: string) =>
      String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)),
    )
    .replace(/\s+/g, '')
    .toLowerCase()
}
