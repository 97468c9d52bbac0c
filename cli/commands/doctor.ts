import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Diagnostic, PathEntry, ToolDef } from 'agent-apps'
import {
  type CompileResult,
  compile,
  type LoadedConfig,
  loadConfig,
  skillsElsewhere,
} from 'agent-apps/compiler'
import { isAgentAppsError } from '../../src/base/error.js'
import { noteForPrograms } from '../agent-options.js'
import { type Command, type Invocation, PATH_OPTION, projectOptions } from '../command.js'
import { isProjectFile } from '../compiled-files.js'
import { fromCwd, fromHere } from '../from-here.js'
import { isOfProject, isOutsideLibrary, openRuntime } from '../open-runtime.js'
import { count, printable } from '../output.js'
import { packageVersion } from '../package-version.js'
import { ALLOW_EMPTY } from '../report/no-skills.js'
import { messageFor } from '../show-error.js'
import { installedFrom, isChangedSinceInstalled, LOCK_FILE, readSkillsLock } from '../skills-lock.js'

export const doctor: Command = {
  name: 'doctor',
  positionals: { min: 0, max: 0 },
  options: { ...PATH_OPTION, ...ALLOW_EMPTY },
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
    const { paths, ...project } = projectOptions(invocation)
    const { cwd } = project
    const loaded = paths
      ? null
      : await loadConfig({ ...project, global: true, trusted: true, evaluate: false })
    const searched = loaded?.paths ?? paths?.map(path => resolve(cwd, path)) ?? []
    if (loaded) found.push(configuration(loaded, named))
    found.push(...missingDirectories(searched, named))
    if (found.every(({ state }) => state !== 'problem')) {
      const lost = await skillsElsewhere(searched, loaded?.config.rules)
      found.push(...lost.map(elsewhere))
      const compiled = await compared({ ...project, ...(paths && { paths }) }, lost.length > 0)
      if (compiled) found.push(...indexes(compiled, cwd, named), ...projectFile(compiled, named))
      const tools = (await (await openRuntime(invocation, false)).listTools()).filter(isOutsideLibrary)
      const hasAgents = (loaded?.config.agents ?? []).length > 0
      found.push(...resolution(tools, hasAgents, invocation), ...installed(tools, cwd))
      const withheld = await noteForPrograms(invocation)
      if (withheld)
        found.push({ subject: 'trust', state: 'note', found: withheld.reason, advice: withheld.note })
    }
  } catch (error) {
    if (!isAgentAppsError(error)) throw error
    found.push({ subject: 'project', state: 'problem', found: messageFor(error, named), advice: error.hint })
  }
  return found
}

/** Compares a project with its indexes; null where it is known that `compile` would not guess where its skills are. */
async function compared(
  project: Parameters<typeof compile>[0],
  isGuess: boolean,
): Promise<CompileResult | null> {
  try {
    return await compile({ ...project, check: true })
  } catch (error) {
    if (isGuess && isAgentAppsError(error) && error.code === 'NO_SKILL_PATHS') return null
    throw error
  }
}

/** Skills to which no manifest and no convention leads; `compile` fails where there are no others. */
function elsewhere({ rule, reason, note }: Diagnostic): Finding {
  const isGuess = rule === 'paths-guessed'
  return { subject: 'paths', state: isGuess ? 'problem' : 'note', found: `${reason} (${rule})`, advice: note }
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

/** Compares the file that a runtime without paths reads with the configuration. */
function projectFile({ outdated }: CompileResult, named: Named): Finding[] {
  return outdated.filter(isProjectFile).map(file => ({
    subject: 'project file',
    state: 'problem',
    found: `${named(file)}: missing, or out of date`,
    advice: 'Run `agent-apps compile`.',
  }))
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
    const skills = files.filter(
      ({ file, outcome }) => file.startsWith(within) && outcome !== 'skipped',
    ).length
    const found = `${named(directory)}: ${count(skills, 'skill file')}`
    if (!outdated.some(file => file.startsWith(within) && !isProjectFile(file))) {
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
function resolution(tools: ToolDef[], hasAgents: boolean, { options }: Invocation): Finding[] {
  const from = (wanted: string): string => count(tools.filter(({ origin }) => origin.via === wanted).length)
  const shadowing = tools.filter(({ origin }) => origin.shadows.length > 0).length
  const shadows = shadowing > 0 ? `; ${count(shadowing)} shadow others` : ''
  const found = `${count(tools.length, 'tool')}, ${from('index')} from an index, ${from('disk')} from disk${shadows}`
  const resolved: Finding = { subject: 'resolution', state: 'ok', found }
  if (tools.some(isOfProject) || hasAgents || options['allow-empty'] === true) return [resolved]
  const advice = 'Write a skill below one of the paths, or correct the paths. --allow-empty accepts it.'
  return [resolved, { subject: 'skills', state: 'problem', found: 'the project has none', advice }]
}

/** Compares skills with the file in which the `skills` command recorded what it installed. */
function installed(tools: ToolDef[], cwd: string): Finding[] {
  const subject = 'installed'
  const lock = readSkillsLock(cwd)
  if (lock.problem !== null)
    return [{ subject, state: 'note', found: `${LOCK_FILE} cannot be used: ${lock.problem}` }]
  return tools
    .filter(tool => isChangedSinceInstalled(tool, lock))
    .map(tool => ({
      subject,
      state: 'note',
      found: `${tool.name} is not what ${LOCK_FILE} says was installed from ${installedFrom(tool, lock)?.source}`,
      advice: 'Look at what changed; `npx skills update` installs it again.',
    }))
}
