import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isAgentAppsError, type PathEntry } from 'agent-apps'
import { type CompileResult, compile, type LoadedConfig, loadConfig } from 'agent-apps/compiler'
import { type Command, type Invocation, projectOptions } from '../command.js'
import { fromCwd, fromHere } from '../from-here.js'
import { isOwn, openRuntime } from '../open-runtime.js'
import { count, printable } from '../output.js'
import { packageVersion } from '../package-version.js'
import { messageFor } from '../show-error.js'

export const doctor: Command = {
  name: 'doctor',
  summary: 'show what was found of configuration, paths and indexes, and what to do',
  positionals: { shown: '', min: 0, max: 0 },
  options: {},
  example: 'agent-apps doctor',
  run,
}

/** Returns a file's path as it is shown to the user. */
type Named = (file: string) => string

/** The state of one thing that was checked, and what to do about it. */
interface Finding {
  subject: string
  state: 'ok' | 'note' | 'problem'
  found: string
  advice?: string
}

const MARKS = { ok: ['green', '✓'], note: ['blue', '·'], problem: ['red', '✗'] } as const

async function run(invocation: Invocation): Promise<number> {
  const { output } = invocation
  const findings = await examine(invocation)
  if (output.json) output.jsonResult(findings)
  else {
    for (const { subject, state, found, advice } of findings) {
      const [color, mark] = MARKS[state]
      output.result(`${output.style(color, mark)} ${subject.padEnd(14)} ${printable(found)}`)
      if (advice !== undefined) output.result(`  ${''.padEnd(14)} ${advice}`)
    }
  }
  return findings.some(({ state }) => state === 'problem') ? 1 : 0
}

async function examine(invocation: Invocation): Promise<Finding[]> {
  const named: Named = file => (invocation.output.json ? fromCwd : fromHere)(file, invocation.cwd)
  const found: Finding[] = [
    {
      subject: 'versions',
      state: 'ok',
      found: `agent-apps ${packageVersion()}, Node ${process.versions.node}`,
    },
  ]
  try {
    const { cwd, config } = projectOptions(invocation)
    const loaded = await loadConfig({
      cwd,
      global: true,
      evaluate: false,
      ...(config !== undefined && { config }),
    })
    const { external = [] } = loaded.config
    found.push(configuration(loaded, named), ...missingDirectories(loaded.paths, named))
    if (found.every(({ state }) => state !== 'problem')) {
      found.push(...indexes(await compile({ paths: loaded.paths, cwd, external, check: true }), cwd, named))
      found.push(await resolution(invocation))
    }
  } catch (error) {
    if (!isAgentAppsError(error)) throw error
    found.push({ subject: 'project', state: 'problem', found: messageFor(error, named), advice: error.hint })
  }
  return found
}

function configuration({ file }: LoadedConfig, named: Named): Finding {
  const subject = 'configuration'
  if (file !== null) return { subject, state: 'ok', found: named(file) }
  return {
    subject,
    state: 'note',
    found: 'none; the conventional directories are searched',
    advice: 'Run `agent-apps init` to make one.',
  }
}

function missingDirectories(paths: PathEntry[], named: Named): Finding[] {
  return paths
    .flatMap(entry => (typeof entry === 'string' ? [entry] : 'ignore' in entry ? [] : [entry.dir]))
    .filter(directory => !existsSync(directory))
    .map(directory => {
      const why = refusal(directory)
      return why === null
        ? {
            subject: 'path',
            state: 'problem',
            found: `${named(directory)} does not exist`,
            advice: 'Create it, or remove it from the paths.',
          }
        : {
            subject: 'path',
            // Everything else is found without it.
            state: 'note',
            found: `${named(directory)} cannot be looked at: ${why}`,
            advice: 'Let this user enter the folders above it, or remove it from the paths.',
          }
    })
}

/** Returns why the system denies access to a path; null if it does not. */
function refusal(path: string): string | null {
  try {
    statSync(path, { throwIfNoEntry: false })
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

/** Compares each of the project's directories with its index. */
function indexes(
  { directories, files, outdated, stale, diagnostics }: CompileResult,
  cwd: string,
  named: Named,
): Finding[] {
  const faults = diagnostics.filter(({ severity }) => severity === 'error').length
  const findings = directories.map((directory): Finding => {
    const within = directory === '.' ? '' : `${directory}/`
    const skills = files.filter(({ file, outcome }) => file.startsWith(within) && outcome === 'found').length
    const found = `${named(directory)}: ${count(skills, 'skill file')}`
    if (!outdated.some(file => file.startsWith(within))) {
      return { subject: 'index', state: 'ok', found: `${found}, up to date` }
    }
    const isMissing = !existsSync(join(cwd, directory, '.agent-apps.json'))
    const names = stale.length > 0 ? `: ${shortList(stale)}` : ''
    const state = isMissing ? 'not compiled' : `out of date${names}`
    return {
      subject: 'index',
      state: 'problem',
      found: `${found}, ${state}`,
      advice: 'Run `agent-apps compile`.',
    }
  })
  const unknown = diagnostics.filter(({ ruleId }) => ruleId === 'not-evaluated').length
  if (unknown > 0)
    findings.push({
      subject: 'code',
      state: 'note',
      found: `${count(unknown, 'place')} not evaluated, as that would run code of the project`,
      advice: '`agent-apps compile --check --verbose` shows them; `agent-apps compile` runs them.',
    })
  if (faults === 0) return findings
  return [
    ...findings,
    {
      subject: 'skills',
      state: 'problem',
      found: `${count(faults, 'error')} in skill files`,
      // `check` does not report problems that appear only when code is built.
      advice: 'Run `agent-apps compile --check`, which shows them.',
    },
  ]
}

function shortList(names: string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
}

/** Reports what resolves now, as other commands see it, and how much of it from an index. */
async function resolution(invocation: Invocation): Promise<Finding> {
  const runtime = await openRuntime(invocation, false)
  const tools = (await runtime.listTools()).filter(isOwn)
  const from = (wanted: string): string => count(tools.filter(({ origin }) => origin.via === wanted).length)
  const shadowing = tools.filter(({ origin }) => origin.shadows.length > 0).length
  const shadows = shadowing > 0 ? `; ${count(shadowing)} shadow others` : ''
  const found = `${count(tools.length, 'tool')}, ${from('index')} from an index, ${from('disk')} from disk${shadows}`
  return { subject: 'resolution', state: 'ok', found }
}
