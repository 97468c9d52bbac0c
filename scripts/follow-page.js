// Follows a page of Markdown in an empty folder: writes the files that it shows, runs its commands, and compares what they print.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEADLINE } from './processes.js'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const { devDependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
/** The versions of packages that pages install, so that a new release does not fail this project's CI. */
const VERSIONS = {
  ...devDependencies,
  hono: '4.13.19',
  next: '16.4.6',
  react: '19.2.8',
  'react-dom': '19.2.8',
}
/** A figure that differs from run to run. */
const TIME = /\b\d+ ms\b/g
/** A line of a page that stands for any lines. */
const ANY_LINES = /^…$/m

/**
 * Follows the page's fenced blocks in order. One with a path (```` ```js agent.mjs ````) is a file. In a `console` block, a
 * line `$ …` is a command, and the lines below it are what it prints; `…` stands for any lines. A command that ends in `&`
 * is a server: it goes on until the page ends, and the commands after it are repeated until it answers.
 *
 * @param page its path in the project
 * @param tarball the packed package, for `npm install agent-apps`
 */
export function followPage(page, folder, tarball) {
  mkdirSync(folder, { recursive: true })
  const servers = []
  const env = {
    ...process.env,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_prefer_offline: 'true',
  }
  const text = readFileSync(join(PROJECT, page), 'utf8')
  let commands = 0
  try {
    for (const [, , language, path, content] of text.matchAll(/^(`{3,})(\S+)(?: (\S+))?\n([\s\S]*?)^\1$/gm)) {
      if (language === 'console') for (const step of stepsOf(content)) follow(step)
      else if (path) write(path, content)
    }
  } finally {
    for (const server of servers) stop(server)
  }
  assert.ok(commands > 0, `${page} has no command`)

  function follow({ command, printed }) {
    commands++
    console.log(`$ ${command}`)
    if (command.endsWith('&')) {
      servers.push(
        spawn('bash', ['-c', `exec ${command.slice(0, -1)}`], {
          cwd: folder,
          env,
          stdio: 'ignore',
          detached: true,
        }),
      )
      return
    }
    const deadline = Date.now() + DEADLINE
    for (;;) {
      const { status, stdout } = spawnSync('bash', ['-c', `exec 2>&1; ${withVersions(command, tarball)}`], {
        cwd: folder,
        env,
        encoding: 'utf8',
      })
      if (status !== 0 && servers.length > 0 && Date.now() < deadline) {
        spawnSync('sleep', ['0.5'])
        continue
      }
      assert.equal(status, 0, `${page}: ${command}\n${stdout}`)
      expectPrinted(printed, stdout, `${page}: ${command}`)
      return
    }
  }

  function write(path, content) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** Ends a server with the processes that it started: `npx` starts another one. */
function stop({ pid, exitCode }) {
  if (exitCode === null) process.kill(-pid)
}

/** The commands of a block, each with the lines that it prints. */
function stepsOf(block) {
  const steps = []
  for (const line of block.trimEnd().split('\n')) {
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2).replace(/ {2,}#.*/, ''), printed: [] })
    else steps.at(-1).printed.push(line)
  }
  return steps
}

/** `npm install` with the packed package in place of `agent-apps`, and with the versions that this project is tested with. */
function withVersions(command, tarball) {
  if (!command.startsWith('npm install')) return command
  return command
    .split(' ')
    .map(word => (word === 'agent-apps' ? tarball : VERSIONS[word] ? `${word}@${VERSIONS[word]}` : word))
    .join(' ')
}

function expectPrinted(printed, said, what) {
  let rest = plain(said)
  for (const part of plain(printed.join('\n')).split(ANY_LINES)) {
    const shown = part.trim()
    assert.ok(rest.includes(shown), `${what}\nThe page shows:\n${shown}\nIt printed:\n${said}`)
    rest = rest.slice(rest.indexOf(shown) + shown.length)
  }
}

function plain(text) {
  return text.replace(TIME, '# ms')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [tarball, folder, ...pages] = process.argv.slice(2)
  for (const page of pages)
    followPage(page, join(resolve(folder), page.replace(/\W/g, '-')), resolve(tarball))
}
