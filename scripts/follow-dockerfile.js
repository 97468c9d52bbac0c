// Does what a Dockerfile says in folders instead of images: what examples use of the format, and no more.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import picomatch from 'picomatch'
import { run } from './processes.js'

/**
 * Follows the Dockerfile in `context`. A stage is a folder below `folder`, which stands for its WORKDIR.
 *
 * @param env what every image has, such as its PATH
 * @returns of the last stage its `folder`, its `env` alone, and its `command`
 */
export function followDockerfile(context, folder, env) {
  const stages = new Map()
  let stage
  const does = {
    FROM(rest) {
      const [image, , name = String(stages.size)] = rest.split(' ')
      if (!/^node:24(?:-slim)?$/.test(image)) throw new Error(`There is no image ${image} here.`)
      stage = { folder: join(folder, name), workdir: '/', env: {} }
      mkdirSync(stage.folder, { recursive: true })
      stages.set(name, stage)
    },
    WORKDIR(path) {
      stage.workdir = path
    },
    ENV(rest) {
      const [name, value] = rest.split('=')
      stage.env[name] = value
    },
    // Whoever runs this is the one user that there is.
    USER() {},
    COPY(rest) {
      const [, from, items] = /^(?:--from=(\S+) )?(.*)$/.exec(rest)
      const [target, ...sources] = items.split(' ').reverse()
      const to = inside(stage, target)
      for (const source of sources.reverse())
        if (from === undefined) copyFromContext(context, source, to)
        else copy(inside(stages.get(from), source), to)
    },
    RUN(command) {
      run('/bin/sh', ['-c', command], { cwd: stage.folder, env: { ...env, ...stage.env } })
    },
    CMD(json) {
      stage.command = JSON.parse(json).map(argument => argument.replace(stage.workdir, stage.folder))
    },
  }
  for (const line of readFileSync(join(context, 'Dockerfile'), 'utf8').split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [, instruction, rest] = /^(\S+) (.*)$/.exec(line) ?? []
    if (!Object.hasOwn(does, instruction)) throw new Error(`Nothing here knows how to do ${line}`)
    does[instruction](rest)
  }
  return stage
}

/** The place of an image's path: an absolute one lies in its WORKDIR, or nothing here knows where. */
function inside({ folder, workdir }, path) {
  if (!path.startsWith('/')) return join(folder, path)
  if (path !== workdir && !path.startsWith(`${workdir}/`)) throw new Error(`${path} is not in ${workdir}.`)
  return join(folder, path.slice(workdir.length))
}

/** A folder's contents, or a file, into a folder. */
function copy(from, to) {
  cpSync(from, statSync(from).isDirectory() ? to : join(to, basename(from)), { recursive: true })
}

function copyFromContext(context, pattern, to) {
  const ignored = picomatch(ignorePatterns(context), { dot: true })
  const filter = file => file === context || !ignored(file.slice(context.length + 1))
  if (pattern === '.') return cpSync(context, to, { recursive: true, filter })
  const names = readdirSync(context).filter(name => picomatch.isMatch(name, pattern) && !ignored(name))
  if (names.length === 0) throw new Error(`There is nothing to copy that is ${pattern}.`)
  for (const name of names) copy(join(context, name), to)
}

function ignorePatterns(context) {
  const file = join(context, '.dockerignore')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}
