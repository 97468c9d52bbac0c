import { execFileSync } from 'node:child_process'
import { lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime } from 'agent-apps'

/** Does one piece of work several times in this process. Prints the milliseconds of each time, and the peak of memory. */
const [subject, root, runs, peers = ''] = process.argv.slice(2)
const PATTERN = '**/*.ts'
const NEEDLE = 'needle_[a-z]+'

const runtime = createRuntime({
  paths: [],
  workspace: root,
  freshness: 'trust',
  config: { tools: { grep: { ripgrep: subject !== 'our scan' } } },
})
const call = (tool, args) => runtime.invoke(tool, args)
const peer = async name =>
  import(pathToFileURL(createRequire(join(peers, name, 'package.json')).resolve(name)).href)
const newestFirst = found => found.sort((a, b) => b.time - a.time).length
const timed = path => ({ path, time: lstatSync(join(root, path)).mtimeMs })

const SUBJECTS = {
  nothing: () => 0,
  'our glob': async () => (await call('glob', { pattern: PATTERN })).metadata.count,
  'fast-glob': async () => {
    const { default: glob } = await peer('fast-glob')
    const found = await glob.glob(PATTERN, { cwd: root, dot: true, followSymbolicLinks: false, stats: true })
    return newestFirst(found.map(({ path, stats }) => ({ path, time: stats.mtimeMs })))
  },
  tinyglobby: async () => {
    const { glob } = await peer('tinyglobby')
    const found = await glob(PATTERN, {
      cwd: root,
      dot: true,
      followSymbolicLinks: false,
      expandDirectories: false,
    })
    return newestFirst(found.map(timed))
  },
  'our grep': async () => (await call('grep', { pattern: NEEDLE, limit: 100_000 })).metadata.matches,
  'our scan': async () => (await call('grep', { pattern: NEEDLE, limit: 100_000 })).metadata.matches,
  rg: () => {
    const { rgPath } = createRequire(import.meta.url)('@vscode/ripgrep')
    const args = [
      '--no-config',
      '--hidden',
      '--glob=!.git',
      '--line-number',
      '--with-filename',
      '--null',
      NEEDLE,
      '.',
    ]
    const output = execFileSync(rgPath, args, { cwd: root, maxBuffer: 2 ** 28, encoding: 'utf8' })
    return output.split('\n').length - 1
  },
  'our read': async () => (await call('read', { path: 'large.txt', offset: 100_000 })).metadata.bytes,
  'node read': () => {
    const text = readFileSync(join(root, 'large.txt'), 'utf8')
    return text.split('\n').slice(99_999, 101_999).length && Buffer.byteLength(text)
  },
  'our edit': async () => (await call('edit', { path: 'large.txt', ...swap() })).metadata.replaced,
  'node edit': () => {
    const file = join(root, 'large.txt')
    const { old, new: wanted } = swap()
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(old, () => wanted),
    )
    return 1
  },
}

let turn = 0
function swap() {
  const texts = ['the only line of its kind\n', 'a line that took its place\n']
  const [old, wanted] = turn++ % 2 === 0 ? texts : texts.reverse()
  return { old, new: wanted }
}

if (subject === 'our edit') await call('read', { path: 'large.txt' })
const times = []
let result
for (let run = 0; run < Number(runs); run++) {
  const started = performance.now()
  result = await SUBJECTS[subject]()
  times.push(performance.now() - started)
}
// An even number of edits leaves the file as it was.
if (turn % 2 === 1) await SUBJECTS[subject]()
console.log(JSON.stringify({ times, result, peak: process.resourceUsage().maxRSS / 1024 }))
