import { type ChildProcess, fork } from 'node:child_process'
import { deployRuntime } from './processes.js'
import { kept } from './temporary.js'

const running = new Map<string, ChildProcess>()
const deployments = new Map<string, string>()

/**
 * The answers of a script that answers a list of jobs at a time. Its process is kept for all test files of a worker, as starting one
 * takes longer than most answers, and ends with the channel to it.
 *
 * @param purpose a process is kept for each, as modules that one has imported keep their state
 */
export function askKept<Answer>(script: string, jobs: readonly unknown[], purpose = ''): Promise<Answer[]> {
  const child = running.get(script + purpose) ?? start(script, purpose)
  return new Promise((done, fail) => {
    const ended = (code: number | null): void => fail(new Error(`${script} ended with exit ${code}`))
    child.once('exit', ended)
    child.once('message', answers => {
      child.off('exit', ended)
      done(answers as Answer[])
    })
    child.send(jobs)
  })
}

/** The script beside a deployment of the runtime, which is kept as its process is. */
export function deployedScript(script: string): string {
  const deployed = deployments.get(script) ?? deployRuntime(script, kept())
  deployments.set(script, deployed)
  return deployed
}

/** Ends the process of a script: the next question starts another. */
export function endKept(script: string): void {
  running.get(script)?.kill()
  running.delete(script)
}

function start(script: string, purpose: string): ChildProcess {
  const child = fork(script, { execArgv: [], env: { ...process.env, NODE_ENV: 'production' } })
  running.set(script + purpose, child)
  child.once('exit', () => running.get(script + purpose) === child && running.delete(script + purpose))
  return child
}
