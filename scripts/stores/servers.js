// Redis and PostgreSQL, installed by Debian's packages, each in a folder of its own on a free port of this machine.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEADLINE } from '../processes.js'

/**
 * Starts Redis so that it has kept what it acknowledged: `appendfsync always`, `maxmemory-policy noeviction`.
 *
 * @returns its address, `kill` (SIGKILL and a new start over the same files) and `stop`
 */
export async function startRedis(folder) {
  need('redis-server', 'redis-server')
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const options = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'yes',
  ]
  const durable = ['--appendfsync', 'always', '--maxmemory-policy', 'noeviction']
  const start = () => spawn('redis-server', [...options, ...durable].map(String), { stdio: 'ignore' })
  const isReady = () => answers('redis-cli', ['-p', String(port), 'ping'], 'PONG')
  return running(start, isReady, `redis://127.0.0.1:${port}`)
}

/**
 * Starts PostgreSQL, which the superuser must not run: it then has the user of Debian's package, and a folder that this
 * user can reach. `synchronous_commit` is on, as it is by default.
 */
export async function startPostgres() {
  const versions = '/usr/lib/postgresql'
  if (!existsSync(versions)) need('postgres', 'postgresql')
  const bin = join(versions, readdirSync(versions).sort((a, b) => b - a)[0], 'bin')
  const folder = mkdtempSync(join(tmpdir(), 'agent-apps-postgres-'))
  const as = { cwd: folder, stdio: 'ignore', ...(process.getuid() === 0 && ownedByPostgres(folder)) }
  execFileSync(join(bin, 'initdb'), ['-D', 'data', '-A', 'trust', '-U', 'postgres', '-E', 'UTF8'], as)
  const port = await freePort()
  const options = ['-D', 'data', '-p', String(port), '-h', '127.0.0.1', '-k', folder]
  const start = () => spawn(join(bin, 'postgres'), options, as)
  const isReady = () => answers(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)], 'accepting')
  const server = await running(start, isReady, `postgres://postgres@127.0.0.1:${port}/postgres`)
  const stop = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { ...server, stop }
}

function ownedByPostgres(folder) {
  const idOf = flag => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const [uid, gid] = [idOf('-u'), idOf('-g')]
  chownSync(folder, uid, gid)
  return { uid, gid }
}

/** Installs a package of Debian's where a program is missing and this user may. */
function need(program, debianPackage) {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
  } catch {
    console.log(`installing ${debianPackage}`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore', env })
    execFileSync('apt-get', ['install', '-y', '-qq', debianPackage], { stdio: 'ignore', env })
  }
}

async function running(start, isReady, url) {
  let server = start()
  let ended = exitOf(server)
  await ready(isReady, server)
  return {
    url,
    async kill() {
      // PostgreSQL's children end by themselves once the server is gone.
      server.kill('SIGKILL')
      await ended
      for (;;) {
        server = start()
        ended = exitOf(server)
        if (
          await ready(isReady, server).then(
            () => true,
            () => false,
          )
        )
          return
        await ended
        await sleep(200)
      }
    },
    async stop() {
      server.kill('SIGINT')
      await ended
    },
  }
}

function exitOf(server) {
  return new Promise(done => server.once('exit', done))
}

/** Waits until a server takes commands: while it reads its files it listens, and refuses them. */
async function ready(isReady, server) {
  for (const end = Date.now() + DEADLINE; Date.now() < end; await sleep(50)) {
    if (server.exitCode !== null || server.signalCode !== null) break
    if (isReady()) return
  }
  throw new Error(`${server.spawnfile} takes no commands`)
}

function answers(program, args, expected) {
  const { stdout } = spawnSync(program, args, { encoding: 'utf8' })
  return stdout.includes(expected)
}

function freePort() {
  return new Promise((done, fail) => {
    const server = createServer().once('error', fail)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}
