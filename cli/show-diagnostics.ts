import type { Message } from 'agent-apps/compiler'
import { fromMessage } from 'agent-apps/compiler'
import { fromCheckout, fromHere } from './from-here.js'
import { count, type Output, printable } from './output.js'
import type { Terminal } from './standard-io.js'

export const FORMATS = ['pretty', 'json', 'github'] as const
export type Format = (typeof FORMATS)[number]

const STYLES = { error: 'red', warning: 'yellow', info: 'blue' } as const

/** Formats diagnostics for a person: by file, each with what to do. Their files are relative to `cwd`. */
export function prettyDiagnostics(
  diagnostics: readonly Message[],
  cwd: string,
  output: Output,
  stream: Terminal,
): string[] {
  const lines: string[] = []
  let file: string | undefined
  for (const message of diagnostics) {
    const { line, column, rule, severity, reason, note, file: shown } = fromMessage(message)
    if (shown !== file)
      lines.push(
        ...(file === undefined ? [] : ['']),
        output.style('underline', printable(atLineStart(fromHere(shown, cwd))), stream),
      )
    file = shown
    const place = `${line}:${column}`.padEnd(7)
    const label = output.style(STYLES[severity], severity.padEnd(7), stream)
    lines.push(`  ${place} ${label} ${printable(reason)}  ${output.style('dim', rule, stream)}`)
    lines.push(`                  ${output.style('dim', printable(note), stream)}`)
  }
  return lines
}

/**
 * Makes a path safe for the start of a line, because GitHub treats a line that begins with `::` as a command.
 */
function atLineStart(path: string): string {
  return /^\s*::|^\s*##/.test(path) ? `./${path}` : path
}

/** Formats diagnostics as GitHub's workflow commands, which it shows beside the lines. */
export function githubDiagnostics(diagnostics: readonly Message[], cwd: string): string[] {
  return diagnostics.map(message => {
    const { file, line, column, rule, severity, reason, note } = fromMessage(message)
    const command = severity === 'info' ? 'notice' : severity
    const properties = `file=${property(fromCheckout(file, cwd))},line=${line},col=${column},title=${property(rule)}`
    return `::${command} ${properties}::${data(`${reason}. ${note}`)}`
  })
}

/**
 * Line ends are escaped as GitHub does it, so that a file is still recognized by its name; other control
 * characters are made visible.
 */
function data(text: string): string {
  return printable(text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A'))
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/** Counts the diagnostics of each severity, as the end of a summary: ` · 2 errors · 1 warning`. */
export function tally(diagnostics: readonly Message[], severities: readonly Message['severity'][]): string {
  return severities
    .map(severity => [severity, diagnostics.filter(message => message.severity === severity).length] as const)
    .filter(([, number]) => number > 0)
    .map(([severity, number]) => ` · ${count(number, severity === 'info' ? 'hint' : severity)}`)
    .join('')
}

/** Explains in the summary why a command fails that has only warnings. */
export function strictly(diagnostics: readonly Message[], strict: boolean): string {
  return hasErrors(diagnostics, strict) && !hasErrors(diagnostics) ? ' (--strict fails on warnings)' : ''
}

export function hasErrors(diagnostics: readonly Message[], strict = false): boolean {
  return diagnostics.some(({ severity }) => severity === 'error' || (strict && severity === 'warning'))
}
