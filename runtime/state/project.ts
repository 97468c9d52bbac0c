import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'
import { definedFields, isStringArray } from '../../src/base/json.js'
import { decodeProject, PROJECT_FILE, type ProjectFile } from '../../src/index/project-file.js'
import { agentsProblem, policyProblem } from '../../src/policy/configured-policy.js'
import type { PathEntry } from '../../src/skill/path-entry.js'
import type { Globals, RuntimeConfig } from './context.js'
import { defaultGlobals } from './globals.js'
import type { ProjectConfiguration } from './policy.js'

/**
 * Configures a runtime by its project's file, which `compile` wrote.
 *
 * @param given the options of the runtime, which override the file
 * @throws NO_SKILL_PATHS if the file does not exist; CONFIG_INVALID if it is invalid
 */
export function configure(globals: Globals, given: Partial<RuntimeConfig>): void {
  // A concurrent look-up may have done it.
  if (!globals.configure) return
  const { project = '.' } = given
  const loaded = typeof project === 'object' ? checkLoaded(project) : undefined
  const folder = disk.resolve(given.cwd ?? disk.cwd(), loaded?.root ?? (project as string))
  const { paths, ...read } =
    loaded && given.paths ? { paths: given.paths } : projectIn(folder, globals, given)
  const { policy, agents, env, ...rest } = { ...read, ...loaded }
  const there = paths.map(entry => withDirectoryIn(folder, entry))
  const projects = { root: folder, policy, agents, env } as ProjectConfiguration
  Object.assign(globals.config, { paths: there }, definedFields({ ...rest, env }), given)
  Object.assign(globals.config, given.verify && { freshness: 'trust' }, {
    isProjects: !given.paths,
    projects,
  })
  delete globals.configure
}

function projectIn(folder: string, globals: Globals, { project }: Partial<RuntimeConfig>): ProjectFile {
  const text = disk.readText(disk.resolve(folder, PROJECT_FILE))
  return text === null && globals === defaultGlobals()
    ? { paths: [{ dir: '.', discover: true }] }
    : readProject(text, folder, project !== undefined)
}

/** @throws OPTIONS_INVALID for anything but a `project` from `loadConfig` */
function checkLoaded(loaded: ProjectConfiguration): ProjectConfiguration {
  const { root, policy = {}, agents = [], env = [] } = loaded
  const problem =
    (typeof root === 'string' ? null : '`root` must be a string') ??
    policyProblem(policy) ??
    agentsProblem(agents) ??
    (isStringArray(env) ? null : '`env` must be an array of strings')
  if (problem === null) return loaded
  throw new AgentAppsError('OPTIONS_INVALID', `The option \`project\` is wrong: ${problem}.`, {
    hint: 'Give the folder of a project, or the `project` that `loadConfig` returned.',
  })
}

function withDirectoryIn(folder: string, entry: PathEntry): PathEntry {
  if (typeof entry === 'string') return absolute(folder, entry)
  return 'ignore' in entry ? entry : { ...entry, dir: absolute(folder, entry.dir) }
}

/** Resolves a directory; `~/` means the user's home, as in a configuration. */
function absolute(folder: string, dir: string): string {
  return /^~(?:\/|$)/.test(dir) ? disk.resolve(disk.home(), `.${dir.slice(1)}`) : disk.resolve(folder, dir)
}

function readProject(text: string | null, folder: string, isNamed: boolean): ProjectFile {
  const file = disk.resolve(folder, PROJECT_FILE)
  if (text === null) {
    throw new AgentAppsError('NO_SKILL_PATHS', `The runtime has no paths, and there is no file ${file}.`, {
      hint: isNamed
        ? 'Run `agent-apps compile` there, or set `project` to the folder of the configuration that was compiled.'
        : 'Run `agent-apps compile` in this folder, or pass the folder of the configuration: createRuntime({ project: import.meta.dirname }).',
      file,
    })
  }
  const project = decodeProject(text)
  if (project !== null) return project
  throw new AgentAppsError('CONFIG_INVALID', `The project file ${file} cannot be used.`, {
    hint: 'Run `agent-apps compile` with the version of agent-apps that the runtime is of.',
    file,
  })
}
