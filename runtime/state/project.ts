import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'
import { decodeProject, PROJECT_FILE, type ProjectFile } from '../../src/index/project-file.js'
import type { PathEntry } from '../../src/skill/path-entry.js'
import type { Globals, RuntimeConfig } from './context.js'
import { defaultGlobals } from './globals.js'

/**
 * Configures a runtime by its project's file, which `compile` wrote.
 *
 * @param given the options of the runtime: they come before what the file says
 * @throws NO_SKILL_PATHS where there is no such file, CONFIG_INVALID where it cannot be used
 */
export function configure(globals: Globals, given: Partial<RuntimeConfig>): void {
  // A look-up at the same time may have done it.
  if (!globals.configure) return
  const folder = disk.resolve(given.cwd ?? disk.cwd(), given.project ?? '.')
  const text = disk.readText(disk.resolve(folder, PROJECT_FILE))
  const { paths, ...read } =
    text === null && globals === defaultGlobals()
      ? { paths: [{ dir: '.', discover: true }] }
      : readProject(text, folder, given.project !== undefined)
  const there = paths.map(entry => withDirectoryIn(folder, entry))
  Object.assign(globals.config, { paths: there }, read, given, given.verify && { freshness: 'trust' }, {
    isProjects: !given.paths,
  })
  delete globals.configure
}

function withDirectoryIn(folder: string, entry: PathEntry): PathEntry {
  if (typeof entry === 'string') return absolute(folder, entry)
  return 'ignore' in entry ? entry : { ...entry, dir: absolute(folder, entry.dir) }
}

/** `~/` is the user's home, as in a configuration. */
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
