import { AgentAppsError } from '../base/error.js'

/** How often base64 may be nested. */
const LAYERS = 8

/**
 * Reads `inline://<tag>,<payload>`: code or Markdown as written, or base64 of another such reference. `\${`
 * in a payload is `${`: it is written in this way in YAML, where `${` would be interpolated.
 *
 * @throws INLINE_INVALID
 */
export function parseInline(reference: string): { kind: 'code' | 'markdown'; text: string } {
  let rest = reference
  for (let layer = 0; layer < LAYERS; layer++) {
    const [, tag, payload] = /^inline:\/\/([a-z0-9]+),([\s\S]*)$/.exec(rest) ?? []
    if (payload === undefined) throw invalid('it is not of the form inline://<tag>,<text>')
    if (tag === 'code' || tag === 'markdown') return { kind: tag, text: payload.replaceAll('\\${', '${') }
    if (tag !== 'base64') throw invalid(`"${tag}" is none of code, markdown and base64`)
    rest = decodeBase64(payload)
  }
  throw invalid(`base64 is nested more than ${LAYERS} times`)
}

/**
 * An `inline://` reference with a `${` that no backslash escapes. Interpolated text must never become code.
 */
const INTERPOLATED = /^inline:\/\/[\s\S]*?(?<!\\)\$\{/

/** True for an inline reference that would be interpolated, so that it is never run. */
export function isInterpolatedInline(text: string): boolean {
  return INTERPOLATED.test(text)
}

function decodeBase64(payload: string): string {
  try {
    const bytes = Uint8Array.from(atob(payload.trim()), character => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('its text is not base64 of UTF-8')
  }
}

function invalid(problem: string): AgentAppsError {
  return new AgentAppsError('INLINE_INVALID', `The inline reference cannot be read: ${problem}.`, {
    hint: 'Write inline://code,…, inline://markdown,… or inline://base64,….',
  })
}
