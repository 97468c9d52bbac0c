import { resolve } from 'node:path'
import { type CompileOptions, type CompileResult, compile, fromMessage, watch } from 'agent-apps/compiler'
import { type AgentAppsError, isAgentAppsError } from '../../src/base/error.js'
import { type Command, INTERRUPTED, type Invocation, projectOptions } from '../command.js'
import { compileLine } from '../compile-line.js'
import { indexOf, isProjectFile } from '../compiled-files.js'
import { fromHere } from '../from-here.js'
import { isModuleFile } from '../module-type.js'
import { catalogLine, count, type Output, printable } from '../output.js'
import { progressBar } from '../progress.js'
import { readList } from '../read-option.js'
import { type Format, REPORT_OPTIONS, readFormat } from '../report/formats.js'
import { githubAnnotations, writeStepSummary } from '../report/github-annotations.js'
import { ALLOW_EMPTY, isEmptyUnasked, orNothing } from '../report/no-skills.js'
import { prettyDiagnostics, withoutAsides } from '../report/pretty-diagnostics.js'
import { sarifLog } from '../report/sarif.js'
import { hasErrors, strictly, tally } from '../report/summary.js'
import { showError } from '../show-error.js'
import { usageError } from '../usage-error.js'

/** The outdated names that are shown without `--verbose`. */
const SHOWN = 20
/** The changed files that are named. */
const CHANGES = 3

export const compileCommand: Command = {
  name: 'compile',
  positionals: { min: 0, max: Number.POSITIVE_INFINITY },
  options: {
    check: { type: 'boolean', describes: 'write nothing; fail if an index is missing or out of date' },
    force: { type: 'boolean', describes: 'ignore the cache of the last compile' },
    watch: { type: 'boolean', describes: 'recompile when something changes, until Ctrl-C' },
    poll: {
      type: 'string',
      value: 'MS',
      describes: 'with --watch, poll at this interval if the file system reports no changes',
    },
    external: {
      type: 'string',
      multiple: true,
      value: 'PACKAGE',
      describes:
        'do not bundle this npm package (repeatable; default: those configured, if no path is given)',
    },
    bundle: {
      type: 'string',
      value: 'FILE',
      describes: 'also write a bundle, one module with chunks that needs no file system',
    },
    types: {
      type: 'string',
      value: 'FILE',
      optional: { value: 'agent-apps-tools.d.ts', isValue: word => word.endsWith('.ts') },
      describes:
        'also write the types of all tools for `createRuntime<Tools>()` (default: agent-apps-tools.d.ts)',
    },
    'library-types': {
      type: 'boolean',
      describes: "with --types or --bundle, include types of the library's tools",
    },
    keep: {
      type: 'string',
      multiple: true,
      value: 'PATTERN',
      describes:
        'bundle only these tools and what they refer to (repeatable; default: those configured, if no path is given; else all)',
    },
    minify: { type: 'boolean', describes: 'minify the bundle' },
    sourcemap: { type: 'boolean', describes: 'write source maps of the bundle' },
    host: {
      type: 'string',
      value: 'node',
      describes: 'include the tools of a workspace, which need files and processes (default: any host)',
    },
    ...REPORT_OPTIONS,
    ...ALLOW_EMPTY,
  },
  example: 'agent-apps compile ./skills',
  run: invocation => orNothing(invocation, () => compileOrWatch(invocation)).catch(refuse),
}

/** Reports an invalid option as wrong usage, since it was typed here. */
function refuse(error: unknown): never {
  if (!isAgentAppsError(error) || error.code !== 'OPTIONS_INVALID') throw error
  throw usageError(error.message, error.hint)
}

async function compileOrWatch(invocation: Invocation): Promise<number> {
  const { options, output } = invocation
  if (options.watch === true) return watchProject(invocation)
  if (options.poll !== undefined) throw usage('--poll requires --watch', 'Add --watch, or leave out --poll.')
  const format = readFormat(invocation)
  const started = performance.now()
  const bar = progressBar(output.quiet || format !== 'pretty')
  const compiling = { ...compileOptions(invocation), check: options.check === true, onProgress: bar.update }
  const result = await compile(compiling).finally(bar.end)
  const elapsed = performance.now() - started
  const outdated = options.check === true && result.outdated.length > 0
  const fails = outdated || hasErrors(result.diagnostics, options.strict === true)
  const summary =
    options.check === true ? checkSummary(result, invocation) : compileSummary(result, elapsed, invocation)
  report(result, { format, summary, fails }, invocation)
  if (options.check !== true && format === 'pretty') await noteLeftOut(invocation)
  return (await isEmptyUnasked(result.counts.files, invocation)) || fails ? 1 : 0
}

function report(
  result: CompileResult,
  { format, summary, fails }: { format: Format; summary: string; fails: boolean },
  invocation: Invocation,
): void {
  const { options, output, cwd } = invocation
  const { diagnostics } = result
  if (format === 'json') output.jsonResult(asJson(result))
  else if (format === 'sarif') output.jsonResult(sarifLog(diagnostics, cwd, !fails))
  else {
    if (format === 'github') {
      for (const line of githubAnnotations(diagnostics, cwd)) output.result(line)
      output.result(linesOf(summary))
      writeStepSummary(diagnostics, summary, cwd)
    } else show(result, summary, invocation)
    if (options.check === true) noteNotEvaluated(result, output)
    else showBundle(result, invocation)
  }
  if (format === 'pretty' && process.env.GITHUB_ACTIONS === 'true')
    for (const line of githubAnnotations(diagnostics, cwd)) output.error(line)
}

async function watchProject(invocation: Invocation): Promise<number> {
  const { options, output, cwd } = invocation
  if (options.check === true)
    throw usage('--check writes nothing, so there is nothing to watch', 'Leave out --check or --watch.')
  const watcher = await watch({
    ...compileOptions(invocation),
    ...(options.poll !== undefined && { poll: milliseconds(options.poll) }),
    onCompile(result, changed) {
      if (output.json) output.jsonLine(asJson(result))
      else {
        noteChanges(changed, invocation)
        show(result, compileSummary(result, total(result.timings), invocation), invocation)
        showBundle(result, invocation)
      }
    },
    onError: error => showError(error, output, cwd),
  })
  output.note(
    watcher.polls && options.poll === undefined
      ? 'The system watches no more directories; polling every second. Press Ctrl-C to stop.'
      : 'Watching for changes. Press Ctrl-C to stop.',
  )
  await watcher.closed
  return INTERRUPTED
}

/** Prints the time of a compile and the changed files. */
function noteChanges(changed: readonly string[], { output, cwd }: Invocation): void {
  const files = changed.slice(0, CHANGES).map(file => printable(fromHere(file, cwd)))
  const more = changed.length - files.length
  const time = new Date().toTimeString().slice(0, 8)
  if (files.length > 0)
    output.note(`\n${time} changed: ${files.join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`)
}

function compileOptions(invocation: Invocation): CompileOptions {
  const { options, signal } = invocation
  const external = readList(options.external)
  return {
    ...projectOptions(invocation),
    ...(external && { external: packages(external) }),
    ...bundleOptions(invocation),
    ...(typeof options.types === 'string' && { types: options.types }),
    ...(options['library-types'] === true && { libraryTypes: true }),
    force: options.force === true,
    signal,
  }
}

/** Throws USAGE if one value lists several packages. The compiler checks the names. */
function packages(names: string[]): string[] {
  const several = names.map(name => name.split(/[\s,]+/).filter(Boolean)).find(({ length }) => length > 1)
  if (several === undefined) return names
  throw usage(
    `--external takes one package, not ${JSON.stringify(several.join(', '))}`,
    `Repeat \`--external\` for each: ${several.map(name => `--external ${name}`).join(' ')}.`,
  )
}

function milliseconds(text: unknown): number {
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  throw usage('--poll takes a whole number of milliseconds', 'Write --poll 1000 for every second.')
}

function usage(problem: string, hint: string): AgentAppsError {
  return usageError(`\`agent-apps compile\`: ${problem}.`, hint)
}

function total(timings: CompileResult['timings']): number {
  return Object.values(timings).reduce((sum, time) => sum + time, 0)
}

/** @throws USAGE for options of a bundle without `--bundle` */
function bundleOptions(invocation: Invocation): CompileOptions {
  const { options } = invocation
  const { bundle, keep, minify, sourcemap, host } = options
  if (typeof bundle === 'string')
    return {
      bundle,
      minify: minify === true,
      sourcemap: sourcemap === true,
      ...(Array.isArray(keep) && { keep }),
      ...(typeof host === 'string' && { host: host as 'node' }),
    }
  const lost = ['keep', 'minify', 'sourcemap', 'host'].find(name => options[name] !== undefined)
  if (lost === undefined) return {}
  const completed = { ...invocation, options: { ...options, bundle: 'dist/agent.mjs' } }
  throw usageError(
    `\`--${lost}\` requires \`--bundle\`.`,
    `Name the file to write: \`${compileLine(completed, WRITING)}\`.`,
  )
}

function asJson(result: CompileResult): object {
  const { counts, catalog, written, bundled, outdated, stale, reused, rendered, timings } = result
  const diagnostics = result.diagnostics.map(fromMessage)
  return { counts, catalog, diagnostics, written, bundled, outdated, stale, reused, rendered, timings }
}

function show(result: CompileResult, summary: string, invocation: Invocation): void {
  const { output } = invocation
  const shown = withoutAsides(result.diagnostics, invocation)
  for (const line of prettyDiagnostics(shown, invocation, output.stderr)) output.error(line)
  output.note(catalogLine(result.catalog))
  output.result(linesOf(summary))
}

function linesOf(summary: string): string {
  return summary.split('\n').map(printable).join('\n')
}

/** Reports results of code that were not compared, since `--check` runs none. */
function noteNotEvaluated({ diagnostics }: CompileResult, output: Output): void {
  const places = diagnostics.filter(({ ruleId }) => ruleId === 'not-evaluated').length
  if (places > 0 && !output.verbose)
    output.note(
      `${count(places, 'place')} not evaluated, only compared by digests of the code; --verbose shows them`,
    )
}

function showBundle({ bundled }: CompileResult, { options, output, cwd }: Invocation): void {
  const { bundle } = options
  if (typeof bundle !== 'string') return
  const shown = printable(fromHere(bundle, cwd))
  output.result(`bundled ${shown} (${count(bundled.length, 'file')} written)`)
  if (!isModuleFile(resolve(cwd, bundle)))
    output.note(
      `Node would load ${shown} as CommonJS, but it is an ES module: name it \`.mjs\`, or set \`"type": "module"\` in the package.json above it. Bundlers and browsers load it as it is.`,
    )
}

/** Names the library's tools that the bundle lacks. */
async function noteLeftOut({ options, output }: Invocation): Promise<void> {
  if (options.bundle === undefined || options.host !== undefined) return
  const { createRuntime } = await import('agent-apps/runtime')
  const tools = await createRuntime({ paths: [], workspace: '.' }).listTools()
  const names = tools
    .filter(({ frontmatter: { tags } }) => tags.includes('meta-workspace'))
    .map(({ name }) => name)
  output.note(`left out of the bundle, since they need files: ${names.join(', ')}`)
}

function compileSummary(
  { diagnostics, directories, skills, reused, files }: CompileResult,
  elapsed: number,
  { options, cwd }: Invocation,
): string {
  const changed = files.length - reused
  // A file may contain several skills, or only shadowed ones.
  const from = files.length === skills.length ? '' : ` from ${count(files.length, 'file')}`
  const where =
    directories.length === 1
      ? fromHere(directories[0] ?? '', cwd)
      : `${count(directories.length)} directories`
  return [
    `compiled ${count(skills.length, 'skill')}${from} (${count(changed)} changed) in ${Math.round(elapsed)} ms`,
    tally(diagnostics, ['error', 'warning']),
    strictly(diagnostics, options.strict === true),
    ` · .agent-apps.json in ${where}`,
    typeof options.types === 'string' ? `, types in ${fromHere(options.types, cwd)}` : '',
  ].join('')
}

function checkSummary(
  { outdated, stale, diagnostics, directories }: CompileResult,
  invocation: Invocation,
): string {
  const { options, cwd } = invocation
  const faults = tally(diagnostics, ['error', 'warning']) + strictly(diagnostics, options.strict === true)
  const isTypes = (file: string): boolean =>
    typeof options.types === 'string' && resolve(cwd, file) === resolve(cwd, options.types)
  const made = [options.types, options.bundle].flatMap(file =>
    typeof file === 'string' ? [fromHere(file, cwd)] : [],
  )
  if (outdated.length === 0) {
    const indexes = `${count(directories.length)} of ${count(directories.length)} indexes`
    return `up to date: ${[indexes, ...made].join(', and ')}${faults}`
  }
  const indexes = outdated.map(indexOf).filter(index => index !== null)
  const own = outdated.filter(file => isProjectFile(file) || (indexes.length === 0 && isTypes(file)))
  const isBundle = (file: string): boolean => indexOf(file) === null && !isProjectFile(file) && !isTypes(file)
  // Bundles and types are made from the indexes, so they are checked only if those are up to date.
  const unseen =
    made.length > 0 && indexes.length > 0
      ? `, so ${made.join(' and ')} ${made.length > 1 ? 'were' : 'was'} not checked`
      : ''
  const files = [...new Set([...indexes, ...own])].map(file => fromHere(file, cwd))
  if (indexes.length === 0 && outdated.some(isBundle)) files.push(fromHere(String(options.bundle), cwd))
  const names = invocation.output.verbose ? stale : stale.slice(0, SHOWN)
  const more = stale.length - names.length
  return [
    `out of date: ${files.join(', ')}${unseen}${faults}`,
    ...names.map(name => `  ${name}`),
    ...(more > 0 ? [`  and ${count(more)} more`] : []),
    `run \`${compileLine(invocation, WRITING)}\``,
  ].join('\n')
}

/** The options that affect what a compile writes. */
const WRITING = [
  ...['cwd', 'config', 'external', 'types', 'library-types'],
  ...['bundle', 'keep', 'minify', 'sourcemap', 'host'],
]
