import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { run } from '../../cli/run.js'
import { ROOT } from './processes.js'

/** The command as it is installed. */
export const COMMAND = join(ROOT, 'dist/cli/main.js')

export interface Said {
  status: number | null
  stdout: string
  stderr: string
}

/** What would change what a command says, and is not the test's. */
const NOT_INHERITED = [
  'NO_COLOR',
  'FORCE_COLOR',
  'GITHUB_ACTIONS',
  'GITHUB_STEP_SUMMARY',
  'GITHUB_WORKSPACE',
  'NODE_ENV',
]

/** Runs a command line of `agent-apps` in this process, in a folder that is also its home. */
export async function agentApps(
  cwd: string,
  args: string[],
  {
    input = '',
    env = {},
    isTTY = false,
    answer = null,
    signal = new AbortController().signal,
    onOutput = () => {},
  }: {
    input?: string
    env?: Record<string, string>
    isTTY?: boolean
    answer?: string | null
    signal?: AbortSignal
    /** Called with each text that the command writes, for one that runs until it is ended. */
    onOutput?: (stream: 'stdout' | 'stderr', text: string) => void
  } = {},
): Promise<Said> {
  const before = process.cwd()
  const unset = Object.fromEntries(NOT_INHERITED.map(name => [name, undefined]))
  const restore = setEnvironment({ ...unset, HOME: cwd, ...env })
  const said = { stdout: '', stderr: '' }
  const into = (stream: keyof typeof said) => ({
    isTTY,
    write: (text: string) => {
      said[stream] += text
      onOutput(stream, text)
    },
  })
  process.chdir(cwd)
  try {
    const status = await run(args, {
      readInput: () => input,
      ask: async question => {
        if (answer !== null) said.stderr += question
        return answer
      },
      stdout: into('stdout'),
      stderr: into('stderr'),
      flush: async () => {},
      signal,
    })
    return { status, ...said }
  } finally {
    process.chdir(before)
    restore()
  }
}

/** Runs a command line in a process of its own, as a shell does: its standard output and stacks are as users have them. */
export function spawnAgentApps(cwd: string, args: string[]): Said {
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: cwd }
  for (const name of NOT_INHERITED) delete env[name]
  return spawnSync(process.execPath, [COMMAND, ...args], { cwd, encoding: 'utf8', env })
}

/** Sets variables of the environment, or removes them where they are undefined; gives what sets them back. */
function setEnvironment(variables: Record<string, string | undefined>): () => void {
  const before = Object.fromEntries(Object.keys(variables).map(name => [name, process.env[name]]))
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  return () => void setEnvironment(before)
}
