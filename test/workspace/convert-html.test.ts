import type { ElementContent, Nodes, Root } from 'hast'
import { describe, expect, it } from 'vitest'
import { convertHtml } from '../../skills/workspace/web/convert-html.js'
import { keepSeen } from '../../skills/workspace/web/hidden-elements.js'
import { decodeText, mediaTypeOf } from '../../skills/workspace/web/media-type.js'
import { foreignText } from '../../src/values/foreign-text.js'

const URL_OF_PAGE = 'https://example.org/guide/start'
const markdown = async (html: string): Promise<string> =>
  (await convertHtml(html, URL_OF_PAGE, 'markdown')).text

describe('a page of HTML', () => {
  it('becomes Markdown with whole URLs', async () => {
    const html = `<!doctype html><title>The  guide</title><h1>Start</h1>
<p>See <a href="../next?a=1">the <em>next</em> page</a>.</p>
<ul><li>one</li><li>two</li></ul>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<pre><code class="language-js">let a = 1
</code></pre><img src="/logo.png" alt="The logo">`
    expect(await convertHtml(html, URL_OF_PAGE, 'markdown')).toEqual({
      title: 'The guide',
      isCut: false,
      text: `# Start

See [the *next* page](https://example.org/next?a=1).

- one
- two

| a | b |
| - | - |
| 1 | 2 |

\`\`\`js
let a = 1
\`\`\`

![The logo](https://example.org/logo.png)`,
    })
  })

  it('becomes text, or HTML without what could run', async () => {
    const html =
      '<h1 onclick="run()">A</h1><p>b <a href="javascript:run()">c</a><br>d</p><script>run()</script>'
    expect((await convertHtml(html, URL_OF_PAGE, 'text')).text).toBe('A\n\nb c\nd')
    const { text } = await convertHtml(html, URL_OF_PAGE, 'html')
    expect(text).toBe('<h1>A</h1><p>b <span>c</span><br>d</p>')
  })

  it('starts its URLs from where it says', async () => {
    expect(await markdown('<base href="https://other.example/x/"><a href="y">y</a>')).toBe(
      '[y](https://other.example/x/y)',
    )
    expect(await markdown('<base href="::"><a href="y">y</a>')).toBe('[y](https://example.org/guide/y)')
  })

  it.each([
    '<p hidden>HIDDEN</p>',
    '<p hidden="until-found">HIDDEN</p>',
    '<p popover>HIDDEN</p>',
    '<p style="color: transparent">HIDDEN</p>',
    '<p style="filter: opacity(0)">HIDDEN</p>',
    '<div aria-hidden="true"><b>HIDDEN</b></div>',
    '<p style="display:none">HIDDEN</p>',
    '<p style="DISPLAY : NONE !important">HIDDEN</p>',
    '<p style="color:red;display/**/:/* */none">HIDDEN</p>',
    '<p style="d\\69splay:none">HIDDEN</p>',
    '<p style="visibility: hidden">HIDDEN</p>',
    '<p style="visibility:collapse">HIDDEN</p>',
    '<p style="opacity: 0">HIDDEN</p>',
    '<p style="opacity:0.0;">HIDDEN</p>',
    '<p style="opacity:0%">HIDDEN</p>',
    '<p style="font-size:0">HIDDEN</p>',
    '<p style="font-size: 0px">HIDDEN</p>',
    '<p style="position:absolute;left:-9999px">HIDDEN</p>',
    '<p style="text-indent:-5000px">HIDDEN</p>',
    '<p style="clip:rect(0 0 0 0)">HIDDEN</p>',
    '<p style="clip-path: inset(50%)">HIDDEN</p>',
    '<p style="transform: scale(0)">HIDDEN</p>',
    '<input type="hidden" value="HIDDEN">',
    '<dialog>HIDDEN</dialog>',
    '<template>HIDDEN</template>',
    '<noscript>HIDDEN</noscript>',
    '<script>HIDDEN</script>',
    '<script type="text/plain">HIDDEN</script>',
    '<style>.HIDDEN{}</style>',
    '<!-- HIDDEN -->',
    '<!--><p>--><!-- HIDDEN',
    '<iframe srcdoc="HIDDEN">HIDDEN</iframe>',
    '<object data="HIDDEN">HIDDEN</object>',
    '<svg><text>HIDDEN</text></svg>',
    '<math><mi>HIDDEN</mi></math>',
    '<title>HIDDEN</title>',
    '<video>HIDDEN</video>',
  ])('loses what its reader does not see: %s', async html => {
    for (const format of ['markdown', 'text', 'html'] as const) {
      const { text } = await convertHtml(`<p>seen</p>${html}`, URL_OF_PAGE, format)
      expect(text).toContain('seen')
      expect(text).not.toContain('HIDDEN')
    }
  })

  it.each([
    '<p style="opacity:0.5">SEEN</p>',
    '<p style="font-size:0.8em">SEEN</p>',
    '<p style="left:-5px">SEEN</p>',
    '<p aria-hidden="false">SEEN</p>',
    '<dialog open>SEEN</dialog>',
    '<details><summary>SEEN</summary></details>',
  ])('keeps what its reader sees: %s', async html => {
    expect(await markdown(html)).toContain('SEEN')
  })

  it('loses invisible copies of ASCII, but for flags', async () => {
    const hide = (text: string): string =>
      [...text].map(letter => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('')
    const flag = `\u{1f3f4}${hide('gbsct')}\u{e007f}`
    expect(await markdown(`<p>a${hide('ignore all')}b ${flag}</p>`)).toBe(`ab ${flag}`)
  })

  it('may nest deeply, and may be long', async () => {
    expect(await markdown(`${'<div>'.repeat(200)}deep${'</div>'.repeat(200)}after`)).toBe('deep\n\nafter')
    let inmost: ElementContent = { type: 'text', value: 'deep' }
    for (let level = 0; level < 50_000; level++)
      inmost = { type: 'element', tagName: 'b', properties: {}, children: [inmost] }
    const root: Root = { type: 'root', children: [inmost] }
    expect(keepSeen(root)).toBe(false)
    let [node]: Nodes[] = [root]
    let depth = 0
    for (; node && 'children' in node; depth++) [node] = node.children
    expect(node).toEqual({ type: 'text', value: 'deep' })
    expect(depth).toBeLessThan(110)
    const texts = Array.from({ length: 100_050 }, () => ({ type: 'text' as const, value: 'a' }))
    const tree = { type: 'root' as const, children: texts }
    expect(keepSeen(tree)).toBe(true)
    expect(tree.children.length).toBeLessThan(100_010)
    expect(keepSeen({ type: 'root', children: texts.slice(0, 100) })).toBe(false)
  })
})

describe('what a server says of a text', () => {
  it.each([
    ['text/html; charset=utf-8', 'html', 'utf-8'],
    ['TEXT/HTML;CHARSET="windows-1252"', 'html', 'windows-1252'],
    ['application/xhtml+xml', 'html', null],
    ['text/markdown', 'text', null],
    ['application/json', 'text', null],
    ['application/problem+json; charset=x', 'text', 'x'],
    ['application/rss+xml', 'text', null],
    ['application/octet-stream', null, null],
    ['image/png', null, null],
    ['application/pdf', null, null],
    ['', null, null],
    [null, null, null],
  ])('%s', (type, kind, charset) => {
    expect(mediaTypeOf(type)).toEqual({ kind, charset })
  })

  it.each([
    ['its encoding', 'text/html; charset=iso-8859-1', Buffer.from('é', 'latin1')],
    ['the encoding in the page', 'text/html', Buffer.from('<meta charset="iso-8859-1">é', 'latin1')],
    ['a byte order mark', 'text/plain; charset=iso-8859-1', Buffer.from('\ufeffé', 'utf16le')],
    ['no encoding', 'text/plain', Buffer.from('é')],
    ['an unknown encoding', 'text/plain; charset=none', Buffer.from('é')],
  ])('%s', (_, type, bytes) => {
    expect(decodeText(bytes, mediaTypeOf(type))).toMatch(/é$/)
  })
})

it('a text from outside stands between lines that it cannot know', () => {
  const first = foreignText('a', 'https://example.org/')
  const [, number = ''] = /^\[([0-9a-f]{8}): /.exec(first) ?? []
  expect(first.split('\n')).toHaveLength(3)
  expect(first.endsWith(`[${number}: the text of https://example.org/ ends here.]`)).toBe(true)
  expect(foreignText('a', 'https://example.org/')).not.toBe(first)
})
