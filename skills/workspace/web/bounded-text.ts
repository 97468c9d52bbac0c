import type { Session } from '../../../workspace/wall/workspace.js'
import { keptOutput } from '../files/output-folder.js'

/** The most that a model is shown of a text, in bytes, so that what is said about it fits as well. */
const SHOWN_MAX = 48_000

/**
 * The beginning of a text, and the file with all of it where it is longer.
 *
 * @param kept what the file holds: the text, and what is said about it
 */
export async function boundedText(
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
