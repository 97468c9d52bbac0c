import { AgentAppsError } from 'agent-apps'

/**
 * Parses the URL of a page to fetch.
 *
 * @throws FETCH_REFUSED
 */
export function pageUrl(text: string): URL {
  if (!URL.canParse(text)) {
    throw new AgentAppsError('FETCH_REFUSED', `${JSON.stringify(text.slice(0, 200))} is not a URL.`, {
      hint: 'Give an absolute URL, such as https://example.org/page.',
      tool: 'webfetch',
    })
  }
  const url = new URL(text)
  checkUrl(url)
  return url
}

/** @throws FETCH_REFUSED for other schemes, and for credentials */
export function checkUrl(url: URL): void {
  const problem = /^https?:$/.test(url.protocol)
    ? url.username || url.password
      ? 'it has a user name or a password'
      : null
    : 'it begins neither with `http:` nor with `https:`'
  if (problem === null) return
  throw new AgentAppsError('FETCH_REFUSED', `${url.protocol}//${url.host} is not fetched: ${problem}.`, {
    hint: 'Give the plain URL of a page.',
    tool: 'webfetch',
  })
}
