import { VFileMessage } from 'vfile-message'
import { type Diagnostic, lineOf, ruleUrl } from '../../src/base/diagnostic.js'
import type { Message } from './diagnostics.js'

export function toMessage(diagnostic: Diagnostic): Message {
  const { file, line, column, rule, severity, reason, note, fatal } = diagnostic
  const message = new VFileMessage(reason, { place: { line, column }, ruleId: rule, source: 'agent-apps' })
  Object.defineProperty(message, 'toString', { value: () => lineOf(diagnostic) })
  return Object.assign(message, {
    name: `${file}:${line}:${column}`,
    file,
    severity,
    note,
    url: ruleUrl(rule),
    fatal: fatal ?? (severity === 'info' ? undefined : false),
  })
}
