import type { ExportOptions, ExportResult } from 'agent-apps/export'
import { addToGroup } from '../../src/base/add-to-group.js'
import { type Command, type Invocation, PATH_OPTION, projectOptions } from '../command.js'
import { fromCwd, fromHere } from '../from-here.js'
import { noteAll } from '../open-runtime.js'
import { count, printable } from '../output.js'
import { readList } from '../read-option.js'
import { usageError } from '../usage-error.js'

const TARGETS: readonly ExportOptions['to'][] = ['well-known', 'plugin', 'skills']

export const exportCommand: Command = {
  name: 'export',
  positionals: { min: 0, max: 0 },
  options: {
    'well-known': {
      type: 'string',
      value: 'DIR',
      describes: 'write the /.well-known/agent-skills/ of a website: an index with digests, and skills',
    },
    plugin: {
      type: 'string',
      value: 'DIR',
      describes: 'write a plugin for Claude Code, with a server for tools that run code',
    },
    skills: { type: 'string', value: 'DIR', describes: 'write plain folders of the open specification' },
    ...PATH_OPTION,
    pattern: {
      type: 'string',
      multiple: true,
      value: 'PATTERN',
      describes: 'export only what this pattern matches (repeatable)',
    },
    name: { type: 'string', value: 'NAME', describes: "the plugin's name (default: from package.json)" },
    'dry-run': { type: 'boolean', describes: 'list the files instead of writing them' },
  },
  example: 'agent-apps export --plugin dist/plugin',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { options, output, cwd } = invocation
  const { exportSkills } = await import('agent-apps/export')
  const dryRun = options['dry-run'] === true
  const patterns = readList(options.pattern)
  const result = await exportSkills({
    ...targetOf(invocation),
    ...projectOptions(invocation),
    ...(patterns && { patterns }),
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
    throw usageError('Only a plugin has a name.', 'Use --name with --plugin DIR.')
  if (target && given.length === 1 && target.dir !== '') return target
  throw usageError(
    target?.dir === ''
      ? `--${target.to} needs a folder.`
      : `Choose ${given.length > 1 ? 'only ' : ''}one target.`,
    `Use one of ${TARGETS.map(to => `--${to} DIR`).join(', ')}.`,
  )
}

function show(result: ExportResult, { output, cwd }: Invocation, dryRun: boolean): void {
  const { dir, skills, tools, leftOut, remarks, written, removed } = result
  if (dryRun || output.verbose) {
    for (const path of written) output.result(printable(`${dryRun ? 'would write' : 'wrote'} ${path}`))
    for (const path of removed) output.result(printable(`${dryRun ? 'would remove' : 'removed'} ${path}`))
  }
  const reasons = leftOut.map(({ tool, reason }) => [tool, reason] as const)
  for (const line of linesOf(reasons, output.verbose)) output.note(printable(`left out: ${line}`))
  const messages = remarks.map(({ tool, message }) => [tool, message] as const)
  for (const line of linesOf(messages, output.verbose)) output.note(printable(`note: ${line}`))
  const served = tools.length > 0 ? ` and ${count(tools.length, 'tool')}` : ''
  const exported = `${count(skills.length, 'skill')}${served} to ${printable(fromHere(dir, cwd))}`
  const changes = `${count(written.length, 'file')} ${dryRun ? 'to write' : 'written'}, ${count(removed.length)} ${dryRun ? 'to remove' : 'removed'}`
  output.note(`${dryRun ? 'would export' : 'exported'} ${exported} · ${changes}`)
}

/** The tools that a message about many names. */
const NAMED = 3

/** The lines about tools, from their names and the rest of a sentence; a message about many tools is one line. */
function linesOf(all: readonly (readonly [tool: string, rest: string])[], verbose: boolean): string[] {
  const byRest = new Map<string, string[]>()
  for (const [tool, rest] of all) addToGroup(byRest, rest, tool)
  return [...byRest].flatMap(([rest, tools]) => {
    if (verbose || tools.length <= NAMED) return tools.map(tool => `${tool} ${rest}`)
    return `${tools.slice(0, NAMED).join(', ')} and ${count(tools.length - NAMED)} more: each ${rest}`
  })
}
