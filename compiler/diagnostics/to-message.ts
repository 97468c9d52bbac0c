import { VFileMessage } from 'vfile-message'
import { type Diagnostic, ruleUrl } from '../../src/base/diagnostic.js'
import type { Message } from './diagnostics.js'

/** Makes a diagnostic a `vfile-message` object. */
export function toMessage({ file, line, column, rule, severity, reason, note, fatal }: Diagnostic): Message {
  const message = new VFileMessage(reason, { place: { line, column }, ruleId: rule, source: 'agent-apps' })
  return Object.assign(message, {
    name: `${file}:${line}:${column}`,
    file,
    severity,
    note,
    url: ruleUrl(rule),
    fatal: fatal ?? (severity === 'info' ? undefined : false),
  })
}
