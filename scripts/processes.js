// Programs from npm, in a folder of their own, and servers that are asked.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))

/** Options of `npm install`. npm prefers its cache, so it asks the registry once for each package. */
export const QUIETLY = ['--silent', '--no-audit', '--no-fund', '--prefer-offline']

/** Milliseconds in which a server has to begin, to answer and to end. */
export const DEADLINE = 60_000

/** The packed package: the tarball that AGENT_APPS_PACKED names, or else what was built, packed into a folder. */
export function pack(folder) {
  if (process.env.AGENT_APPS_PACKED) return process.env.AGENT_APPS_PACKED
  const packed = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
  return join(folder, run('npm', packed, { cwd: PROJECT }).trim())
}

/** Installs packages, `name@version` each, into a folder; gives where their programs are, and that of a Node by its package's name. */
export function install(folder, packages) {
  console.log(`installing ${packages.join(' ')}`)
  mkdirSync(folder, { recursive: true })
  // A package of its own: else npm looks for one above it.
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  run('npm', ['install', '--no-save', ...QUIETLY, ...packages], { cwd: folder })
  return {
    bin: join(folder, 'node_modules/.bin'),
    nodeOf: name => join(folder, 'node_modules', name, 'bin/node'),
  }
}

/** Runs a program to its end, with what it is told on its standard input; gives what it printed. */
export function run(command, args, { cwd, env = process.env, input = '' } = {}) {
  return execFileSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 5 * DEADLINE,
    maxBuffer: 64 * 1024 * 1024,
    input,
    stdio: 'pipe',
  })
}

/**
 * A server while `ask` asks it; gives what `ask` gives. Then it is told to end.
 *
 * @returns what was `given`, with the `code` and the `signal` that it ended with
 */
export async function withServer(command, args, { cwd, env = process.env }, ask) {
  const server = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise(done => server.once('exit', (code, signal) => done({ code, signal })))
  let said = ''
  server.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  try {
    const given = await ask((url, request) => answerOf(url, request, server))
    server.kill('SIGTERM')
    return { given, ...(await within(DEADLINE, ended)) }
  } catch (error) {
    throw new Error(`${error.message} ${said}`, { cause: error })
  } finally {
    server.kill('SIGKILL')
  }
}

/** The answer of a server that may be starting. */
async function answerOf(url, request, server) {
  const deadline = Date.now() + DEADLINE
  for (;;) {
    try {
      return await fetch(url, { ...request, signal: AbortSignal.timeout(DEADLINE) })
    } catch (error) {
      if (Date.now() > deadline || server.exitCode !== null) throw error
      await new Promise(done => setTimeout(done, 100))
    }
  }
}

function within(ms, promise) {
  const late = new Promise((_, fail) => {
    setTimeout(() => fail(new Error(`It did not end in ${ms} ms.`)), ms).unref()
  })
  return Promise.race([promise, late])
}

export function freePort() {
  return new Promise(done => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}
