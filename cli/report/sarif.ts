import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fromMessage, type Message } from 'agent-apps/compiler'
import type { Log, ReportingDescriptor, Result } from 'sarif'
import { count } from '../output.js'
import { packageVersion } from '../package-version.js'
import { sentence } from './pretty-diagnostics.js'
import { failures } from './rule-groups.js'

/** GitHub accepts no more results of a run. */
const RESULTS = 5_000

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const

/**
 * Diagnostics as a SARIF log, with paths relative to the root of the repository. If there are too many results, infos are
 * left out first.
 *
 * @param succeeded whether the command that reports them succeeds
 */
export function sarifLog(diagnostics: readonly Message[], cwd: string, succeeded: boolean): Log {
  const root = repositoryRoot(cwd)
  const infos = diagnostics.filter(({ severity }) => severity === 'info')
  const reported = [...failures(diagnostics), ...infos].slice(0, RESULTS)
  const rules = [...new Set(reported.map(({ ruleId = '' }) => ruleId))].sort()
  const more = diagnostics.length - reported.length
  const notification = {
    level: 'warning' as const,
    message: { text: `${count(more)} of ${count(diagnostics.length)} diagnostics are left out.` },
  }
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'agent-apps', version: packageVersion(), rules: descriptors(rules) } },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: true,
            exitCode: succeeded ? 0 : 1,
            ...(more > 0 && { toolExecutionNotifications: [notification] }),
          },
        ],
        results: reported.map(message => result(message, rules, cwd, root)),
      },
    ],
  }
}

function result(message: Message, rules: readonly string[], cwd: string, root: string): Result {
  const { file, line, column, rule, severity, reason, note } = fromMessage(message)
  return {
    ruleId: rule,
    ruleIndex: rules.indexOf(rule),
    level: LEVELS[severity],
    message: { text: `${sentence(reason)} ${note}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(relative(root, resolve(cwd, file))), uriBaseId: '%SRCROOT%' },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  }
}

function uriOf(path: string): string {
  return path.split(sep).map(encodeURIComponent).join('/') || '.'
}

/** The nearest folder above with a `.git`, or else the checkout of a workflow, or `cwd`. */
function repositoryRoot(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    // In a worktree or submodule, `.git` is a file.
    if (existsSync(join(folder, '.git'))) return folder
    if (folder === dirname(folder)) return process.env.GITHUB_WORKSPACE || cwd
  }
}

/** Describes rules by their sections of docs/rules.md. */
function descriptors(rules: readonly string[]): ReportingDescriptor[] {
  const manifest = createRequire(import.meta.url).resolve('agent-apps/package.json')
  const page = readFileSync(join(dirname(manifest), 'docs/rules.md'), 'utf8')
  const sections = new Map(page.split(/^## /m).map(text => [text.slice(0, text.indexOf('\n')), text]))
  return rules.map(id => {
    const markdown = sections.get(id)?.slice(id.length).trim() ?? ''
    const text = `agent-apps/docs/rules.md#${id}`
    return { id, name: id, help: { text, ...(markdown !== '' && { markdown }) } }
  })
}
