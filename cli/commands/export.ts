import type { ExportOptions, ExportResult } from 'agent-apps/export'
import { AgentAppsError } from '../../src/base/error.js'
import { type Command, type Invocation, PATH_OPTION, projectOptions } from '../command.js'
import { fromCwd, fromHere } from '../from-here.js'
import { noteAll } from '../open-runtime.js'
import { count, printable } from '../output.js'

const TARGETS: readonly ExportOptions['to'][] = ['well-known', 'plugin', 'skills']

export const exportCommand: Command = {
  name: 'export',
  positionals: { min: 0, max: 0 },
  options: {
    'well-known': {
      type: 'string',
      value: 'DIR',
      describes: 'as a website has them at /.well-known/agent-skills/: an index with digests, and skills',
    },
    plugin: {
      type: 'string',
      value: 'DIR',
      describes: 'as a plugin for Claude Code, with a server for tools that run code',
    },
    skills: {
      type: 'string',
      value: 'DIR',
      describes: 'as plain folders under the open specification',
    },
    ...PATH_OPTION,
    pattern: {
      type: 'string',
      multiple: true,
      value: 'PATTERN',
      describes: 'only what this pattern matches; repeated: one of them',
    },
    name: { type: 'string', value: 'NAME', describes: "the plugin's name (default: from package.json)" },
    'dry-run': { type: 'boolean', describes: 'write nothing; list what would be' },
  },
  example: 'agent-apps export --plugin dist/plugin',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { options, output, cwd } = invocation
  const { exportSkills } = await import('agent-apps/export')
  const dryRun = options['dry-run'] === true
  const result = await exportSkills({
    ...targetOf(invocation),
    ...projectOptions(invocation),
    ...(Array.isArray(options.pattern) && { patterns: options.pattern.map(String) }),
    ...(typeof options.name === 'string' && { name: options.name }),
    dryRun,
  })
  noteAll(result.diagnostics, invocation)
  if (output.json) output.jsonResult({ ...result, dir: fromCwd(result.dir, cwd), dryRun })
  else show(result, invocation, dryRun)
  const isFaulty =
    result.diagnostics.some(({ severity }) => severity === 'error') ||
    result.leftOut.some(({ code }) => code !== undefined)
  return isFaulty ? 1 : 0
}

/** @throws USAGE */
function targetOf({ options }: Invocation): Pick<ExportOptions, 'to' | 'dir'> {
  const given = TARGETS.flatMap(to => {
    const dir = options[to]
    return typeof dir === 'string' ? [{ to, dir }] : []
  })
  const [target] = given
  if (options.name !== undefined && target?.to !== 'plugin')
    throw new AgentAppsError('USAGE', 'Only a plugin has a name.', { hint: 'Give --name with --plugin DIR.' })
  if (target && given.length === 1 && target.dir !== '') return target
  throw new AgentAppsError(
    'USAGE',
    target?.dir === ''
      ? `--${target.to} needs a folder.`
      : `Name one thing to export${given.length > 1 ? ', not several' : ''}.`,
    { hint: `Give one of ${TARGETS.map(to => `--${to} DIR`).join(', ')}.` },
  )
}

function show(result: ExportResult, { output, cwd }: Invocation, dryRun: boolean): void {
  const { dir, skills, tools, leftOut, remarks, written, removed } = result
  if (dryRun || output.verbose) {
    for (const path of written) output.result(printable(`${dryRun ? 'would write' : 'wrote'} ${path}`))
    for (const path of removed) output.result(printable(`${dryRun ? 'would remove' : 'removed'} ${path}`))
  }
  const reasons = leftOut.map(({ tool, reason }): Said => [tool, reason])
  for (const line of linesOf(reasons, output.verbose)) output.note(printable(`left out: ${line}`))
  const messages = remarks.map(({ tool, message }): Said => [tool, message])
  for (const line of linesOf(messages, output.verbose)) output.note(printable(`note: ${line}`))
  const served = tools.length > 0 ? ` and ${count(tools.length, 'tool')}` : ''
  const exported = `${count(skills.length, 'skill')}${served} to ${printable(fromHere(dir, cwd))}`
  const changes = `${count(written.length, 'file')} ${dryRun ? 'to write' : 'written'}, ${count(removed.length)} ${dryRun ? 'to remove' : 'removed'}`
  output.note(`${dryRun ? 'would export' : 'exported'} ${exported} · ${changes}`)
}

/** A tool, and the rest of a sentence about it. */
type Said = [tool: string, rest: string]

/** How many tools of which the same is said are named. */
const NAMED = 3

/** The lines about tools; a message about many tools is one line. */
function linesOf(all: readonly Said[], verbose: boolean): string[] {
  const byRest = new Map<string, string[]>()
  for (const [tool, rest] of all) byRest.set(rest, [...(byRest.get(rest) ?? []), tool])
  return [...byRest].flatMap(([rest, tools]) => {
    if (verbose || tools.length <= NAMED) return tools.map(tool => `${tool} ${rest}`)
    return `${tools.slice(0, NAMED).join(', ')} and ${count(tools.length - NAMED)} more: each ${rest}`
  })
}
