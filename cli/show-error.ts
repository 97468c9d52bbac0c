import { AgentAppsError, isAgentAppsError } from 'agent-apps'
import { type Output, printable } from './output.js'

/** Says what went wrong: an error of ours with what to do about it, any other with its stack. */
export function showError(thrown: unknown, output: Output): void {
  const error = packageMissing(thrown) ?? thrown
  if (!isAgentAppsError(error)) return showUnexpected(error, output)
  const { code, message, hint, tool, file, position } = error
  if (output.json) return output.jsonResult({ error: code, message, hint, tool, file, position })
  const [label, shownCode] = [
    output.style('red', 'error', process.stderr),
    output.style('dim', `(${code})`, process.stderr),
  ]
  output.error(`${label} ${printable(message)} ${shownCode}`)
  output.error(`  ${printable(hint)}`)
}

/** The error for a package that code imports and that is not installed, as one that is `external` may be; null for any other. */
function packageMissing(thrown: unknown): AgentAppsError | null {
  const { code, message = '' } = (thrown ?? {}) as NodeJS.ErrnoException
  const [, name] = /^Cannot find package '((?:@[\w.-]+\/)?\w[\w.-]*)'/.exec(message) ?? []
  if (code !== 'ERR_MODULE_NOT_FOUND' || name === undefined) return null
  return new AgentAppsError('MODULE_MISSING', `${message}.`, { hint: `Install it: \`npm install ${name}\`.` })
}

/** What a tool itself threw, or a fault of ours: told with its stack, since nobody has prepared for it. */
function showUnexpected(error: unknown, output: Output): void {
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
  output.error(told.split('\n').map(printable).join('\n'))
}
