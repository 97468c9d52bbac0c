import { AgentAppsError, foreignText, type ToolContext, type ToolResult } from 'agent-apps'
import { callAborted } from '../../../workspace/files/aborted.js'
import type { Session } from '../../../workspace/wall/workspace.js'
import { sessionOf, workspaceOf } from '../../../workspace/wall/workspace.js'
import { keptOutput } from '../files/output-folder.js'
import type { PageFormat } from './convert-html.js'
import { type FetchedPage, fetchPage } from './fetch-page.js'
import { decodeText, mediaTypeOf } from './media-type.js'
import { pageUrl } from './page-url.js'

interface WebfetchArguments {
  url: string
  format: PageFormat
  timeoutMs: number
}

/**
 * Fetches a page.
 *
 * @throws FETCH_REFUSED, FETCH_FAILED, TOOL_TIMEOUT, RUN_ABORTED
 */
export async function webfetch(args: unknown, ctx: ToolContext): Promise<ToolResult> {
  const { url, format, timeoutMs } = args as WebfetchArguments
  const { allow, proxy } = ctx.config as unknown as { allow: string[]; proxy?: string }
  const late = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([ctx.signal, late])
  try {
    const onFetch = ({ href }: URL): void => ctx.update({ title: `Fetching ${href}` })
    const page = await fetchPage(pageUrl(url), { signal, allow, proxy, onFetch })
    return await resultOf(url, page, format, signal, ctx)
  } catch (error) {
    if (ctx.signal.aborted) throw callAborted('webfetch', ctx.signal.reason)
    throw late.aborted && error === late.reason ? tooLate(url, timeoutMs) : error
  }
}

async function resultOf(
  url: string,
  page: FetchedPage,
  format: PageFormat,
  signal: AbortSignal,
  ctx: ToolContext,
): Promise<ToolResult> {
  const { href } = page.url
  const about = { url, finalUrl: href, status: page.status, contentType: page.contentType }
  if (page.redirect) {
    const { origin, href: redirect } = page.redirect
    return {
      title: `${href} redirects to ${origin}`,
      metadata: { ...about, bytes: 0, truncated: false, redirect },
      output: `The page redirects to another site, which was not fetched: ${redirect}`,
    }
  }
  const type = mediaTypeOf(page.contentType)
  const decoded = decodeText(page.bytes, type)
  if (type.kind === 'html') ctx.update({ title: `Reading ${href}` })
  const { text, title, isCut } =
    type.kind === 'html'
      ? await converted(decoded, href, format, signal)
      : { text: decoded, title: '', isCut: false }
  const isPart = page.isCut || isCut
  const status = page.status >= 400 ? `[status ${page.status}]\n` : ''
  const shown = await boundedText(text, sessionOf(await workspaceOf(ctx), ctx), foreignText(text, href))
  return {
    title: title === '' ? href : `${title} (${href})`,
    metadata: {
      ...about,
      bytes: page.bytes.length,
      truncated: isPart || shown.isTruncated,
      ...(shown.file !== null && { file: shown.file }),
    },
    output:
      status + foreignText(shown.text, href) + (isPart ? '\n[The page is longer than what was read.]' : ''),
  }
}

/** The converter is loaded only for HTML. */
async function converted(html: string, url: string, format: PageFormat, signal: AbortSignal) {
  const { convertApart } = await import('./html-worker.js')
  return convertApart(html, url, format, signal)
}

function tooLate(url: string, timeoutMs: number): AgentAppsError {
  return new AgentAppsError('TOOL_TIMEOUT', `${url} was not fetched within ${timeoutMs} ms.`, {
    hint: 'Give it more time in `timeoutMs`, or fetch another page.',
    tool: 'webfetch',
  })
}

/** The most bytes of a text that are shown, which leaves room for notes. */
const SHOWN_MAX = 48_000

/**
 * The start of a text, and a file with the whole text if it is longer.
 *
 * @param kept the content of the file: the text with its notes
 */
async function boundedText(
  text: string,
  session: Session,
  kept: string,
): Promise<{ text: string; isTruncated: boolean; file: string | null }> {
  const bytes = Buffer.from(text)
  if (bytes.length <= SHOWN_MAX) return { text, isTruncated: false, file: null }
  const file = await keptOutput(kept, 'webfetch', session)
  const shown = bytes
    .subarray(0, SHOWN_MAX)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
    .replace(/\n[^\n]{0,2000}$/, '\n')
  const left = bytes.length - Buffer.byteLength(shown)
  return {
    text: `${shown}\n[${left} of ${bytes.length} bytes are left out here. All of it is in ${file}]`,
    isTruncated: true,
    file,
  }
}
