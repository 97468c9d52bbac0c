// The agent starts as its command does, and lists the skills with their contents. It writes to a file, since it ends before
// a pipe has taken all. It is not a Node process, so this one measures its memory.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const BUILT_IN = '<built-in>'
const OUTPUT = 'skills.json'
/** Milliseconds between two looks at its memory. */
const LOOK = 100

const [, wanted] = process.argv.slice(2)
const agent = spawn(binary(), ['debug', 'skill'], { stdio: ['ignore', openSync(OUTPUT, 'w'), 'inherit'] })
let peak = 0
const looking = setInterval(() => {
  peak = Math.max(peak, most(agent.pid))
}, LOOK)
const [code] = await once(agent, 'close')
clearInterval(looking)
if (code !== 0) throw new Error(`opencode ended with ${code}`)
const skills = JSON.parse(readFileSync(OUTPUT, 'utf8')).filter(({ location }) => location !== BUILT_IN)
const { content } = skills.find(({ name }) => name === wanted)
console.log(JSON.stringify({ seen: skills.length, loaded: content.length, peak }))

function binary() {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const folder = new URL(`../node_modules/opencode-${system}-${process.arch}/bin/`, import.meta.url)
  return fileURLToPath(new URL(system === 'windows' ? 'opencode.exe' : 'opencode', folder))
}

/** The most memory that a process had until now, in kB; 0 where the system does not tell, or the process is gone. */
function most(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
