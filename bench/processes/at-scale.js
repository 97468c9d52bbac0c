// Does one thing with compiled skills, and prints the milliseconds of processor time that it took and the memory of its
// process afterwards, in MB. The time of loading the package does not count.
import { createRuntime } from 'agent-apps'

const [what, name, ...directories] = process.argv.slice(2)
const paths = directories.map(dir => ({ dir, external: directories.length > 1 }))
const before = process.cpuUsage()
const runtime = createRuntime({ paths, freshness: 'trust', library: what !== 'call-without-library' })
const did = {
  find: () => runtime.findTool(name),
  miss: async () => (await runtime.findTool(`no-such-${name}`)) === null,
  call: () => runtime.invoke(name),
  'call-without-library': () => runtime.invoke(name),
  search: () => runtime.search('review the deployment pipeline of a service'),
}[what]
if (!(await did())) throw new Error(`${what} found nothing`)
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ cpu: (user + system) / 1000, memory: process.memoryUsage().rss / 2 ** 20 }))
