import { resolve } from 'node:path'
import { AgentAppsError, isAgentAppsError } from 'agent-apps'
import {
  type CompileOptions,
  type CompileResult,
  compile,
  fromMessage,
  isFollowUp,
  type Message,
  watch,
} from 'agent-apps/compiler'
import { type Command, INTERRUPTED, type Invocation, projectOptions } from '../command.js'
import { commandLine } from '../command-line.js'
import { fromHere } from '../from-here.js'
import { isModuleFile } from '../module-type.js'
import { catalogLine, count, type Output, printable } from '../output.js'
import { progressBar } from '../progress.js'
import { githubDiagnostics, hasErrors, prettyDiagnostics, strictly, tally } from '../show-diagnostics.js'
import { showError } from '../show-error.js'

/** More than this many diagnostics hide the summary; `--verbose` shows them all. */
const SHOWN = 20

export const compileCommand: Command = {
  name: 'compile',
  summary: 'read skills and write an index beside each directory of them',
  positionals: { shown: '[paths…]', min: 0, max: Number.POSITIVE_INFINITY },
  options: {
    check: { type: 'boolean', describes: 'write nothing; fail where an index is missing or out of date' },
    force: { type: 'boolean', describes: 'read everything, whatever the last compile left' },
    strict: { type: 'boolean', describes: 'fail on warnings too' },
    watch: { type: 'boolean', describes: 'compile again whenever something changes, until Ctrl-C' },
    poll: {
      type: 'string',
      value: 'MS',
      describes: 'with --watch: look every so many milliseconds, where the file system tells of no changes',
    },
    external: {
      type: 'string',
      multiple: true,
      value: 'PACKAGE',
      describes: 'do not bundle this npm package (default: those configured, where no path is given)',
    },
    bundle: {
      type: 'string',
      value: 'FILE',
      describes: 'also write everything as one module with chunks, which needs no file system',
    },
    keep: {
      type: 'string',
      multiple: true,
      value: 'PATTERN',
      describes:
        'of tools, bundle only these and what they lead to (default: those configured, where no path is given; else all)',
    },
    minify: { type: 'boolean', describes: 'make the bundle small' },
    sourcemap: { type: 'boolean', describes: 'write source maps beside the bundle' },
  },
  example: 'agent-apps compile ./skills',
  run: invocation => compileOrWatch(invocation).catch(refuse),
}

/** Reports a faulty option as wrong usage, because it was typed here. */
function refuse(error: unknown): never {
  if (!isAgentAppsError(error) || error.code !== 'OPTIONS_INVALID') throw error
  throw new AgentAppsError('USAGE', error.message, { hint: error.hint })
}

async function compileOrWatch(invocation: Invocation): Promise<number> {
  const { options, output, cwd } = invocation
  if (options.watch === true) return watchProject(invocation)
  if (options.poll !== undefined) throw usage('--poll is for --watch', 'Add --watch, or leave --poll out.')
  const started = performance.now()
  const bar = progressBar(output.quiet || output.json)
  let result: CompileResult
  try {
    result = await compile({
      ...compileOptions(invocation),
      check: options.check === true,
      onProgress: bar.update,
    })
  } finally {
    bar.end()
  }
  const elapsed = performance.now() - started
  if (output.json) output.jsonResult(asJson(result))
  else {
    const summary =
      options.check === true ? checkSummary(result, invocation) : compileSummary(result, elapsed, invocation)
    show(result, summary, invocation)
    if (options.check === true) noteNotEvaluated(result, output)
    else showBundle(result, invocation)
  }
  if (process.env.GITHUB_ACTIONS === 'true')
    for (const line of githubDiagnostics(result.diagnostics, cwd)) output.error(line)
  const outdated = options.check === true && result.outdated.length > 0
  return outdated || hasErrors(result.diagnostics, options.strict === true) ? 1 : 0
}

/** Compiles until it is interrupted, and reports the result each time. */
async function watchProject(invocation: Invocation): Promise<number> {
  const { options, output, cwd } = invocation
  if (options.check === true)
    throw usage('--check writes nothing, so there is nothing to watch', 'Leave out --check or --watch.')
  const watcher = await watch({
    ...compileOptions(invocation),
    ...(options.poll !== undefined && { poll: milliseconds(options.poll) }),
    onCompile(result) {
      if (output.json) output.jsonLine(asJson(result))
      else {
        show(result, compileSummary(result, total(result.timings), invocation), invocation)
        showBundle(result, invocation)
      }
    },
    onError: error => showError(error, output, cwd),
  })
  output.note(
    watcher.polls && options.poll === undefined
      ? 'The system watches no more directories: looking every second. Ctrl-C ends it.'
      : 'Watching for changes. Ctrl-C ends it.',
  )
  await watcher.closed
  return INTERRUPTED
}

function compileOptions(invocation: Invocation): CompileOptions {
  const { options, signal } = invocation
  return {
    ...projectOptions(invocation),
    ...(Array.isArray(options.external) && { external: packages(options.external) }),
    ...bundleOptions(invocation),
    force: options.force === true,
    signal,
  }
}

/** @throws USAGE if one value contains several. The compiler checks whether each is the name of a package */
function packages(names: string[]): string[] {
  const several = names.map(name => name.split(/[\s,]+/).filter(Boolean)).find(({ length }) => length > 1)
  if (several === undefined) return names
  throw usage(
    `--external takes the name of one package, and ${JSON.stringify(several.join(', '))} are several`,
    `Repeat \`--external\` for each: ${several.map(name => `--external ${name}`).join(' ')}.`,
  )
}

function milliseconds(text: unknown): number {
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  throw usage('--poll takes a whole number of milliseconds', 'Write --poll 1000 for every second.')
}

function usage(problem: string, hint: string): AgentAppsError {
  return new AgentAppsError('USAGE', `\`agent-apps compile\`: ${problem}.`, { hint })
}

function total(timings: CompileResult['timings']): number {
  return Object.values(timings).reduce((sum, time) => sum + time, 0)
}

/** @throws USAGE if there are options for a bundle, but no bundle is requested */
function bundleOptions(invocation: Invocation): CompileOptions {
  const { options } = invocation
  const { bundle, keep, minify, sourcemap } = options
  if (typeof bundle === 'string')
    return {
      bundle,
      minify: minify === true,
      sourcemap: sourcemap === true,
      ...(Array.isArray(keep) && { keep }),
    }
  const lost = ['keep', 'minify', 'sourcemap'].find(name => options[name] !== undefined)
  if (lost === undefined) return {}
  throw new AgentAppsError(
    'USAGE',
    `\`--${lost}\` says something of a bundle, and there is no \`--bundle\`.`,
    {
      hint: `Name the file to write: \`${commandLine('compile', { ...invocation, options: { ...options, bundle: 'dist/agent.mjs' } }, WRITING)}\`.`,
    },
  )
}

function asJson(result: CompileResult): object {
  const { counts, catalog, diagnostics, written, bundled, outdated, stale, reused, rendered, timings } =
    result
  return {
    counts,
    catalog,
    diagnostics: diagnostics.map(fromMessage),
    written,
    bundled,
    outdated,
    stale,
    reused,
    rendered,
    timings,
  }
}

function show(result: CompileResult, summary: string, { output, cwd }: Invocation): void {
  const wanted = result.diagnostics.filter(
    ({ severity }) => output.verbose || severity === 'error' || (severity === 'warning' && !output.quiet),
  )
  const sorted = output.verbose
    ? wanted
    : byFile(wanted.toSorted((a, b) => urgency(a) - urgency(b)).slice(0, SHOWN))
  for (const line of prettyDiagnostics(sorted, cwd, output, output.stderr)) output.error(line)
  if (wanted.length > sorted.length)
    output.note(`\nand ${count(wanted.length - sorted.length)} more; --verbose shows all`)
  if (sorted.length > 0) output.note('')
  output.note(catalogLine(result.catalog))
  output.result(summary.split('\n').map(printable).join('\n'))
}

/** Reports results of code that were taken from the index, because nothing was run to compare them. */
function noteNotEvaluated({ diagnostics }: CompileResult, output: Output): void {
  const places = diagnostics.filter(({ ruleId }) => ruleId === 'not-evaluated').length
  if (places > 0 && !output.verbose)
    output.note(
      `${count(places, 'place')} not evaluated, only compared by the digests of their code; --verbose shows them`,
    )
}

/**
 * Groups diagnostics by file. Files are in the order of their most urgent diagnostic; among equals, those
 * with only causes come first.
 */
function byFile(diagnostics: readonly Message[]): Message[] {
  const files = new Map<string | undefined, Message[]>()
  for (const message of diagnostics) files.set(message.file, [...(files.get(message.file) ?? []), message])
  const order = (messages: Message[]): number =>
    2 * Math.min(...messages.map(urgency)) + Number(messages.some(isFollowUp))
  return [...files.values()].toSorted((a, b) => order(a) - order(b)).flat()
}

/** Causes come before their consequences, and errors before everything else. */
function urgency(message: Message): number {
  return 2 * { error: 0, warning: 1, info: 2 }[message.severity] + Number(isFollowUp(message))
}

function showBundle({ bundled }: CompileResult, { options, output, cwd }: Invocation): void {
  const { bundle } = options
  if (typeof bundle !== 'string') return
  const shown = printable(fromHere(bundle, cwd))
  output.result(`bundled ${shown} (${count(bundled.length, 'file')} written)`)
  if (!isModuleFile(resolve(cwd, bundle)))
    output.note(
      `Node takes ${shown} for CommonJS, and it is an ES module: name it \`.mjs\`, or write \`"type": "module"\` into the package.json above it. Bundlers and browsers load it as it is.`,
    )
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
  ].join('')
}

function checkSummary(
  { outdated, stale, diagnostics, directories }: CompileResult,
  invocation: Invocation,
): string {
  const { options, cwd } = invocation
  const faults = tally(diagnostics, ['error', 'warning']) + strictly(diagnostics, options.strict === true)
  const hasBundle = typeof options.bundle === 'string'
  const bundle = hasBundle ? fromHere(String(options.bundle), cwd) : ''
  if (outdated.length === 0) {
    const indexes = `${count(directories.length)} of ${count(directories.length)} indexes`
    return `up to date: ${indexes}${hasBundle ? `, and ${bundle}` : ''}${faults}`
  }
  const indexes = new Set(outdated.map(indexOf).filter(index => index !== null))
  // A bundle is made from the indexes, so it is checked only if they are up to date.
  const unseen = hasBundle && indexes.size > 0 ? `, so that ${bundle} was not looked at` : ''
  const made = indexes.size > 0 ? [...indexes].map(file => fromHere(file, cwd)).join(', ') : bundle
  const names = invocation.output.verbose ? stale : stale.slice(0, SHOWN)
  const more = stale.length - names.length
  return [
    `out of date: ${made}${unseen}${faults}`,
    ...names.map(name => `  ${name}`),
    ...(more > 0 ? [`  and ${count(more)} more`] : []),
    `run \`${commandLine('compile', invocation, WRITING)}\``,
  ].join('\n')
}

/**
 * Returns the index that a file of a compile belongs to, for shards and modules too; null for a file of a
 * bundle.
 */
function indexOf(file: string): string | null {
  const index = /^(.*\/)?\.agent-apps(?:\.json$|\/)/.exec(file)
  return index ? `${index[1] ?? ''}.agent-apps.json` : null
}

/** The options that affect what a compile writes. */
const WRITING = ['cwd', 'config', 'external', 'bundle', 'keep', 'minify', 'sourcemap']
