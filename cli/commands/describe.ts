import { type PluginRecord, pluginOf, type ToolDef, type ToolDetails } from 'agent-apps'
import { type Command, type Invocation, LOOK_UP_OPTIONS } from '../command.js'
import { fromHere } from '../from-here.js'
import { fileOf, noteDiagnostics, openRuntime, rolesOf } from '../open-runtime.js'
import { count, type Output, printable } from '../output.js'
import { type InstalledFrom, installedFrom, noteLock, readSkillsLock, shownSource } from '../skills-lock.js'
import { toolAsJson } from '../tool-as-json.js'

export const describe: Command = {
  name: 'describe',
  positionals: { min: 1, max: 1 },
  options: LOOK_UP_OPTIONS,
  example: 'agent-apps describe release-notes',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { output, cwd } = invocation
  const runtime = await openRuntime(invocation, false)
  const described = await runtime.describe(invocation.positionals[0] ?? '')
  const { tool, ...details } = described
  const content = (await tool.content?.()) ?? null
  const lock = readSkillsLock(cwd)
  const installed = installedFrom(tool, lock)
  if (output.json) {
    const { params = null, returns = null } = tool.frontmatter
    output.jsonResult({
      ...toolAsJson(tool, cwd),
      installedFrom: installed,
      params,
      returns,
      content,
      resources: details.resources,
      references: details.references,
      placeholders: details.placeholders,
      frontmatter: details.verbatim,
    })
  } else {
    show({ ...described, installed }, content, cwd, output)
  }
  noteLock(lock, output)
  noteDiagnostics(runtime, invocation)
  return 0
}

function show(
  {
    tool,
    installed,
    resources,
    references,
    placeholders,
  }: Required<ToolDetails> & { tool: ToolDef; installed: InstalledFrom | null },
  content: string | null,
  cwd: string,
  output: Output,
): void {
  const { name, kind, frontmatter, origin } = tool
  const roles = rolesOf(tool)
  const { title, description, visibility, tags, params, returns, metadata, extra } = frontmatter
  const rows: [string, string | undefined][] = [
    ['title', title],
    ['kind', [kind, roles.length > 0 && `role ${roles.join(', ')}`, visibility].filter(Boolean).join(', ')],
    ['file', `${fromHere(fileOf(origin), cwd)} (${origin.layer}, via ${origin.via})`],
    ['plugin', shownPlugin(pluginOf(tool))],
    ['installed', installed ? `from ${shownSource(installed)}` : undefined],
    ['shadows', origin.shadows.map(shadow => fromHere(fileOf(shadow), cwd)).join(', ') || undefined],
    ['tags', tags.join(', ') || undefined],
    ['allowed', frontmatter['allowed-tools']],
    ['params', params && JSON.stringify(params)],
    ['returns', returns && JSON.stringify(returns)],
    ['metadata', shownMapping(metadata)],
    ['extra', shownMapping(extra)],
  ]
  output.result(output.style('bold', name))
  output.result(printable(description ?? '(no description: models are shown its name alone)'))
  for (const { path, size } of resources) rows.push(['resource', `${path} (${count(size, 'byte')})`])
  for (const { kind, ref, line } of references) rows.push([kind, `${ref} (line ${line})`])
  for (const { kind, text } of placeholders) rows.push([`other host's ${kind}`, text])
  const shown = rows.filter(([, value]) => value !== undefined)
  const width = Math.max(...shown.map(([label]) => label.length))
  for (const [label, value = ''] of shown)
    output.result(`  ${output.style('dim', label.padEnd(width))}  ${printable(value)}`)
  if (content !== null) output.result(`\n${content.split('\n').map(printable).join('\n').trimEnd()}`)
}

function shownPlugin(plugin: PluginRecord | null): string | undefined {
  if (plugin === null) return undefined
  const { name, version, description } = plugin
  const named = version === undefined ? name : `${name} ${version}`
  return description === undefined ? named : `${named}: ${description}`
}

function shownMapping(mapping: object): string | undefined {
  return Object.keys(mapping).length === 0 ? undefined : JSON.stringify(mapping)
}
