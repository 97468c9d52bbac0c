import { isAllowed, matchPattern, parse, parsePatterns, pathGet, safeSnapshot, stringify } from 'agent-apps'
import * as devalue from 'devalue'
import picomatch from 'picomatch'

const ROUNDS = 7
const MS = 60

/** µs of one call: the median of rounds, each as long as it takes to be measured. */
function time(work) {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const started = performance.now()
    let calls = 0
    while (performance.now() - started < MS) {
      for (let i = 0; i < 50; i++) work()
      calls += 50
    }
    return ((performance.now() - started) / calls) * 1000
  })
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1]
}

/** What most write themselves. */
function getByDots(value, path) {
  return path.split('.').reduce((at, key) => at?.[key], value)
}

const pattern = '{file,web}-*'
const name = 'file-read-many'
const rules = parsePatterns(pattern)
const call = { name, tags: [], args: {} }
const compiled = picomatch(pattern, { dot: true })
const event = {
  tool: 'file-read',
  args: { path: 'src/index.ts', lines: [1, 200], options: { encoding: 'utf8', follow: true } },
  results: Array.from({ length: 20 }, (_, id) => ({
    id,
    title: `Result ${id}`,
    tags: ['a', 'b'],
    at: { line: id },
  })),
}

console.log(
  JSON.stringify({
    compiled: time(() => isAllowed(rules, call)),
    picomatchCompiled: time(() => compiled(name)),
    match: time(() => matchPattern(pattern, name)),
    picomatch: time(() => picomatch(pattern, { dot: true })(name)),
    pathGet: time(() => pathGet(event, 'args.options.encoding')),
    getByDots: time(() => getByDots(event, 'args.options.encoding')),
    safeSnapshot: time(() => safeSnapshot(event)),
    structuredClone: time(() => structuredClone(event)),
    json: time(() => JSON.parse(JSON.stringify(event))),
    stringify: time(() => parse(stringify(event))),
    devalue: time(() => devalue.parse(devalue.stringify(event))),
  }),
)
