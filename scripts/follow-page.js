// Follows a page of Markdown in an empty folder: writes the files that it shows, runs its commands, and compares what they print.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEADLINE, install, QUIETLY } from './processes.js'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const { devDependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
/** The versions of packages that pages install, so that a new release does not fail this project's CI. */
const VERSIONS = {
  ...devDependencies,
  esbuild: '0.28.2',
  'gray-matter': '4.0.3',
  hono: '4.13.19',
  next: '16.4.6',
  react: '19.3.1',
  'react-dom': '19.3.1',
  'sirv-cli': '3.0.1',
  workerd: '1.20261117.1',
}
/** Packages that several pages install: they are installed once, and each page gets a copy. */
const SHARED = [
  '@langchain/core',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  'ai',
  'esbuild',
  'gray-matter',
  'hono',
  'langchain',
  'sirv-cli',
  'vite',
  'workerd',
]
/** A figure that differs from run to run. */
const TIME = /\b\d+ ms\b/g
/** A line of a page that stands for any lines. */
const ANY_LINES = /^…$/m

/** A program of a package that is there, without what npm takes to find it. */
const NPX =
  'npx() { if [ -x "node_modules/.bin/$1" ]; then "node_modules/.bin/$1" "${@:2}"; else command npx "$@"; fi; }'

/** Installs in `folder` what several pages and examples need. */
export function installShared(folder, tarball) {
  install(folder, [tarball, ...SHARED.map(name => `${name}@${VERSIONS[name]}`)])
}

/** Gives a folder that has no packages what `installShared` installed. */
export function copyShared(shared, folder) {
  runIn(folder, `test -e node_modules || cp -al "${shared}/node_modules" .`)
}

/**
 * Follows the page's fenced blocks in order. One with a path (```` ```js agent.mjs ````) is a file. In a `console` block, a
 * line `$ …` is a command, and the lines below it are what it prints; `…` stands for any lines. A command that ends in `&`
 * is a server: it goes on until the page ends, and the commands after it are repeated until it answers.
 *
 * @param page its path in the project
 * @param tarball the packed package, for `npm install agent-apps`
 * @param shared the folder where `installShared` installed packages
 */
export function followPage(page, folder, tarball, shared) {
  mkdirSync(folder, { recursive: true })
  const text = readFileSync(join(PROJECT, page), 'utf8')
  const servers = []
  /** The packages that the page said to install. */
  const installed = new Set()
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
    if (command.startsWith('npm install ')) installPackages(command)
    else if (command.endsWith('&')) servers.push(start(command.slice(0, -1), folder))
    else expectPrinted(printed, untilAnswered(command), `${page}: ${command}`)
  }

  function installPackages(command) {
    const packages = command.split(' ').filter(word => !/^(?:npm|install|-.*)$/.test(word))
    for (const name of packages) installed.add(name.replace(/(?<=.)@.*/, ''))
    if (packages.every(name => name === 'agent-apps' || SHARED.includes(name.replace(/(?<=.)@.*/, '')))) {
      copyShared(shared, folder)
      return
    }
    const given = packages.map(name =>
      name === 'agent-apps' ? tarball : VERSIONS[name] ? `${name}@${VERSIONS[name]}` : name,
    )
    runIn(folder, `npm install ${[...QUIETLY, ...given].join(' ')}`)
  }

  /** What a command prints. Once a server was started, a command that fails is tried again. */
  function untilAnswered(command) {
    const deadline = Date.now() + DEADLINE
    for (;;) {
      try {
        return runIn(folder, command)
      } catch (error) {
        if (servers.length === 0 || Date.now() > deadline) throw error
        spawnSync('sleep', ['0.5'])
      }
    }
  }

  function write(path, content) {
    for (const [, name] of content.matchAll(/ from '((?:@[\w-]+\/)?[\w-]+)(?:\/[\w/-]+)?'/g))
      assert.ok(
        installed.has(name),
        `${page}: ${path} imports ${name}, and no command of the page installs it`,
      )
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
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

/** Runs a command to its end; gives what it prints, errors included. */
function runIn(folder, command) {
  const shell = ['-c', `exec 2>&1; ${NPX}; ${command}`]
  const { status, stdout } = spawnSync('bash', shell, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 5 * DEADLINE,
  })
  assert.equal(status, 0, `${command}\n${stdout}`)
  return stdout
}

function start(command, folder) {
  return spawn('bash', ['-c', `exec ${command}`], { cwd: folder, stdio: 'ignore', detached: true })
}

/** Ends a server with the processes that it started: `npx` starts another one. */
function stop({ pid, exitCode }) {
  if (exitCode === null) process.kill(-pid)
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
