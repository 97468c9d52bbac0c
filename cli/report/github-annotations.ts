import { appendFileSync } from 'node:fs'
import { fromMessage, type Message } from 'agent-apps/compiler'
import { fromCheckout } from '../from-here.js'
import { count, printable } from '../output.js'
import { sentence } from './pretty-diagnostics.js'
import { failures, type RuleGroup, ruleGroups } from './rule-groups.js'

/** GitHub shows no more annotations of a step. */
const ANNOTATIONS = 10

/** Errors and warnings as workflow commands, which GitHub shows beside the lines: errors first, within its limit. */
export function githubAnnotations(diagnostics: readonly Message[], cwd: string): string[] {
  const failing = failures(diagnostics)
  const more = failing.length - ANNOTATIONS
  return [
    ...failing.slice(0, ANNOTATIONS).map(message => annotation(message, cwd)),
    ...(more > 0 ? [`and ${count(more)} more, which \`agent-apps check\` prints`] : []),
  ]
}

function annotation(message: Message, cwd: string): string {
  const { file, line, column, rule, severity, reason, note } = fromMessage(message)
  const properties = `file=${property(fromCheckout(file, cwd))},line=${line},col=${column},title=${property(rule)}`
  return `::${severity} ${properties}::${data(`${sentence(reason)} ${note}`)}`
}

/** Escapes line breaks as GitHub does, so that it still recognizes a file by its name, and other control characters. */
function data(text: string): string {
  return printable(text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A'))
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/** Inside a GitHub workflow, adds a table of the diagnostics to the page of the run. */
export function writeStepSummary(diagnostics: readonly Message[], summary: string, cwd: string): void {
  const { GITHUB_STEP_SUMMARY: file = '' } = process.env
  if (file === '') return
  const rows = ruleGroups(failures(diagnostics)).map(group => row(group, cwd))
  const head = ['| severity | rule | places | first place |', '| --- | --- | --- | --- |']
  const table = rows.length === 0 ? [] : ['', ...head, ...rows]
  appendFileSync(file, `${['### agent-apps', '', cell(summary), ...table].join('\n')}\n\n`)
}

function row({ severity, rule, messages }: RuleGroup, cwd: string): string {
  const { file, line, reason } = fromMessage(messages[0])
  const cells = [severity, rule, count(messages.length), `${fromCheckout(file, cwd)}:${line} ${reason}`]
  return `| ${cells.map(cell).join(' | ')} |`
}

/** Text as the content of a table cell, without markup. */
function cell(text: string): string {
  return printable(text).replace(/[\\`*_[\]<>|#&~!]/g, character => `&#${character.charCodeAt(0)};`)
}
