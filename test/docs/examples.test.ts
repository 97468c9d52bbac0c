import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { isLong, oneIn } from '../support/long.js'
import { ownTools } from '../support/own-tools.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import type { Tree } from '../support/tree.js'

const EXAMPLE = join(ROOT, 'examples/middleware')

afterEach(() => void vi.restoreAllMocks())

it.each(oneIn(2, ['compiled', 'from disk']))('examples/middleware runs as its files say, %s', async way => {
  const { root } = codeProject(filesIn(EXAMPLE))
  if (way === 'compiled') expect((await compile({ cwd: root, paths: ['skills'] })).diagnostics).toEqual([])
  const { explain, invoke, listTools, stats } = createRuntime({ paths: ['skills'], cwd: root })
  const said: string[] = []
  vi.spyOn(console, 'error').mockImplementation((...words) => {
    said.push(words.join(' ').replace(/[\d.]+ ms/, '… ms'))
  })

  expect((await explain('forecast')).chain.map(({ name }) => name)).toEqual([
    'log',
    'timeout',
    'retry',
    'limit',
    'stopwatch',
  ])
  expect((await explain('log')).chain).toEqual([])
  expect(await invoke('forecast', { city: 'Oslo' })).toMatch(/\n\[Cut: 60 of 93 characters\.\]$/)
  expect(said).toEqual([
    '[weather] forecast is called with {"city":"Oslo"}',
    '    forecast took … ms',
    '    limit took … ms',
    '    forecast took … ms',
    '    limit took … ms',
    '    retry took … ms',
    '    timeout took … ms',
    '[weather] forecast gave its result after … ms',
    '    log took … ms',
  ])
  if (way === 'compiled') expect(stats().cascadesComputed).toBe(0)
  expect(await ownTools({ listTools })).toHaveLength(5)
})

it.runIf(isLong)('examples/catalog.js shows a catalog within its budget', () => {
  const shown = execFileSync(process.execPath, [join(ROOT, 'examples/catalog.js')], { encoding: 'utf8' })
  expect(shown).toContain('<name>changelog</name>')
  expect(shown).toMatch(/<also_available>.*word-count<\/also_available>/)
  expect(shown).not.toContain('long-words')
  expect(shown).toContain('for an incident: postmortem, incident')
})

it.runIf(isLong)(
  'examples/many-skills finds a skill by the words of the user, follows it and runs its tool',
  () => {
    const example = join(ROOT, 'examples/many-skills/find-skill.js')
    const shown = execFileSync(process.execPath, [example], { encoding: 'utf8' })
    expect(shown).toMatch(/ {4}finance: 400 skills\n[^<]*To find one of these, call search-skills with words/)
    expect(shown.split('\n').slice(-5)).toEqual([
      'search-skills {"query":"I had lunch with a customer for 42 euros. How do I get my money back?"}',
      'load-skill {"name":"expense-report"}',
      'file-expense {"amount":42}',
      'Done: 42 euros are paid with the next salary.',
      '',
    ])
  },
)

it.runIf(isLong)('examples/approvals asks, remembers, and asks again after an edit', async () => {
  const project = temporary()
  cpSync(join(ROOT, 'examples/approvals/project'), project, { recursive: true })
  const env = { ...process.env, XDG_STATE_HOME: temporary() }
  const first = session(env, project)
  expect(await first.type('style')).toContain('Write short sentences.')
  expect(await first.type('publish {"page": "news"}')).toContain(`This project has code: publish.`)
  expect(await first.type('p')).toContain(
    'publish (project) needs approval, as it is granted write.\n  page: news\n',
  )
  expect(await first.type('s')).toContain('"published news"')
  expect(await first.type('publish {"page": "news"}')).toBe('"published news"\n> ')
  expect(await first.type('publish {"page": "home"}')).toContain('  page: home\n')
  expect(await first.type('d')).toContain('APPROVAL_DENIED')
  await first.end()

  const second = session(env, project)
  expect(await second.type('publish {"page": "news"}')).toContain('publish (project) needs approval')
  expect(await second.type('s')).toContain('"published news"')
  const file = join(project, 'skills/publish.skill.js')
  writeFileSync(file, readFileSync(file, 'utf8').replace('published', 'sent off'))
  expect(await second.type('publish {"page": "news"}')).toContain('This project has code: publish.')
  expect(await second.type('o')).toContain('publish (project) needs approval')
  expect(await second.type('o')).toContain('"sent off news"')
  await second.end()
})

it('examples/audit/audit.js writes what agents do as JSON lines', () => {
  const shown = execFileSync(process.execPath, [join(ROOT, 'examples/audit/audit.js')], { encoding: 'utf8' })
  const lines = shown.trim().split('\n')
  const events = lines.map(line => JSON.parse(line) as object)
  for (const event of events)
    expect(event).toMatchObject({ agentId: 'example', sessionId: 'first', userId: 'ada' })
  expect(events.filter(event => 'failed' in event).length).toBe(1)
  expect(events).toMatchObject([
    { type: 'tool:start', tool: 'look', layer: 'programmatic' },
    { type: 'tool:end', tool: 'look' },
    { type: 'tool:start', tool: 'fetch' },
    { type: 'tool:end', tool: 'fetch', failed: true },
    { type: 'tool:start', tool: 'save' },
    { type: 'tool:denied', tool: 'save', error: { code: 'PERMISSION_MISSING' } },
    { type: 'tool:start', tool: 'send' },
    { type: 'approval:asked', tool: 'send', agentId: 'example', metadata: { key: '{}' } },
    { type: 'approval:answered', tool: 'send', metadata: { answer: 'allow-once' } },
    { type: 'tool:end', tool: 'send' },
  ])
})

describe('examples/coding-agent', () => {
  const PASSED = 'The total left out how often an item was bought. All tests pass.'
  /** Calls of one step, which run at the same time. */
  const CHANGES = ['edit src/invoice.js', 'write CHANGES.md']
  const OWN_TEST = 'node --test --test-reporter=tap'

  it.runIf(isLong)(
    'corrects a project through its tools, and asks before it runs or changes anything',
    () => {
      const { said, asked, project } = codingAgent('s y y')
      expect(asked[0]).toBe('bash npm test')
      expect(asked.slice(1).sort()).toEqual(CHANGES)
      expect(said).toMatch(/ {2}\| -.* => sum \+ price, 0\)\n {2}\| \+.* => sum \+ price \* count, 0\)\n/)
      const done = said.match(/^(?:Allow it.*: )?\* .*$/gm)?.map(line => line.replace(/.*\* /, '')) ?? []
      expect([...done.slice(0, 4), ...done.slice(4, 6).sort(), ...done.slice(6)]).toEqual([
        '0 of 3 todos done',
        'npm test [exit code 1]',
        '1 match for function total\\(',
        'Read src/invoice.js',
        'Created CHANGES.md',
        'Edited src/invoice.js',
        '2 of 3 todos done',
        'npm test',
        '3 of 3 todos done',
      ])
      expect(said).toMatch(new RegExp(`${PASSED}\\n$`))
      expect(readFileSync(join(project, 'src/invoice.js'), 'utf8')).toContain('sum + price * count')
    },
  )

  it.runIf(isLong).each<[string, string, string[], string, string[]]>([
    ['by a rule', 's y y', ['bash(npm:*)'], 'TOOL_DENIED', []],
    ['by a person', 'n s y y', [], 'APPROVAL_DENIED', ['bash npm test']],
  ])('goes on another way when a command is denied %s', (_, answers, deny, code, before) => {
    const { said, asked } = codingAgent(answers, deny)
    expect(said).toContain(`* ${code}: `)
    expect(asked.slice(0, -2)).toEqual([...before, `bash ${OWN_TEST}`])
    expect(asked.slice(-2).sort()).toEqual(CHANGES)
    expect(said).toMatch(new RegExp(`${PASSED}\\n$`))
  })

  it.runIf(isLong)('changes nothing when it may not', () => {
    const { said, asked, project } = codingAgent('s n n')
    expect(asked.slice(1).sort()).toEqual(CHANGES)
    expect(said).toContain('I could not do it. APPROVAL_DENIED')
    expect(readFileSync(join(project, 'src/invoice.js'), 'utf8')).toContain('sum + price,')
    expect(existsSync(join(project, 'CHANGES.md'))).toBe(false)
  })

  it.runIf(isLong).each(['edit', 'write'])(
    'takes each answer for the call on screen, of two at the same time: %s',
    async allowed => {
      const project = copied()
      const agent = spawn(process.execPath, [AGENT, project], { stdio: ['pipe', 'pipe', 'inherit'] })
      let said = ''
      agent.stdout.setEncoding('utf8').on('data', text => {
        said += text
        if (!said.endsWith('[n]o: ')) return
        const tool = [...said.matchAll(ASKED)].at(-1)?.[1]
        agent.stdin.write(tool === 'bash' ? 's\n' : tool === allowed ? 'y\n' : 'n\n')
      })
      await once(agent, 'exit')
      expect(said.match(/\* (?:Edited|Created|APPROVAL_DENIED)/g)).toHaveLength(2)
      const edited = readFileSync(join(project, 'src/invoice.js'), 'utf8').includes('sum + price * count')
      expect({ edited, noted: existsSync(join(project, 'CHANGES.md')) }).toEqual({
        edited: allowed === 'edit',
        noted: allowed === 'write',
      })
    },
  )

  it.runIf(isLong)('takes no answer for a question that is gone', async () => {
    const person = join(ROOT, 'examples/coding-agent/person.js')
    const script = `import { askPerson } from ${JSON.stringify(person)}
const ask = (text, { signal } = new AbortController()) => askPerson({ kind: 'approval', text, signal })
const first = new AbortController()
const gone = ask('first', first)
first.abort()
console.log(await gone)
console.log(await ask('second'), await ask('third'))
process.exit()`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      said += text
      if (!said.endsWith('[n]o: ')) return
      if (said.includes('third')) child.stdin.write('n\n')
      else if (said.includes('second')) child.stdin.write('y\n')
    })
    await once(child, 'exit')
    expect(said).toMatch(/: deny\n/)
    expect(said).toMatch(/allow-once deny\n$/)
  })
})

describe.runIf(isLong)('examples/web-approvals', () => {
  it('asks in each chat, though the calls have one id, and takes each answer for its own', async () => {
    const script = join(ROOT, 'examples/web-approvals/server.js')
    const server = spawn(process.execPath, [script, temporary()], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(server.stdout.setEncoding('utf8'), 'data')
    const url = `http://127.0.0.1:${/\d+/.exec(line)?.[0]}/chats/`
    const post = async (chat: string, body: object): Promise<Answered> =>
      (await fetch(url + chat, { method: 'POST', body: JSON.stringify(body) })).json() as Promise<Answered>
    try {
      const chats = ['one', 'two', 'three']
      const asks = await Promise.all(
        chats.map(async chat => (await post(chat, { text: `page-${chat}` })).asks[0] as Asked),
      )
      expect(asks.map(({ callId, tool, args }) => ({ callId, tool, args }))).toEqual(
        chats.map(chat => ({ callId: 'call-1', tool: 'publish', args: { page: `page-${chat}` } })),
      )
      const [one, two, three] = asks.map(({ approvalId }) => approvalId) as [string, string, string]
      expect((await post('two', { answers: { [two]: true } })).text).toBe('It gave: published page-two')
      expect((await post('one', { answers: { [one]: false } })).text).toBe('It was not to be.')
      // What another chat was asked is not a question here, nor is anything but true a yes.
      expect(JSON.stringify(await post('three', { answers: { [two]: true } }))).not.toContain('published')
      expect(JSON.stringify(await post('three', { answers: { [three]: 'true' } }))).not.toContain('published')
      const again = await post('two', { text: 'page-two' })
      expect(again.asks).toHaveLength(1)
    } finally {
      server.kill()
    }
  })
})

interface Asked {
  approvalId: string
  callId: string
  tool: string
  args: object
}

interface Answered {
  text: string
  asks: Asked[]
}

const AGENT = join(ROOT, 'examples/coding-agent/agent.js')
const ASKED = /^(bash|edit|write) \(bundled\) needs approval, as .*\.\nKey: (.*)$/gm

function copied(): string {
  const project = temporary()
  cpSync(join(ROOT, 'examples/coding-agent/project'), project, { recursive: true })
  return project
}

/** What examples/coding-agent says in a copy of its project, and what it asks about, to a person who gives these answers. */
function codingAgent(answers: string, deny: string[] = []) {
  const project = copied()
  const input = `${answers.split(' ').join('\n')}\n`
  const said = execFileSync(process.execPath, [AGENT, project, ...deny], { input, encoding: 'utf8' })
  return { said, project, asked: [...said.matchAll(ASKED)].map(([, tool, key]) => `${tool} ${key}`) }
}

/** The host of examples/approvals, with a person who types when it asks for something. */
function session(env: NodeJS.ProcessEnv, project: string) {
  const host = spawn(process.execPath, [join(ROOT, 'examples/approvals/host.js'), project], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let said = ''
  host.stdout.setEncoding('utf8').on('data', text => {
    said += text
  })
  const asked = async (): Promise<string> => {
    while (!/(?:^> |\n> |eny\? )$/.test(said)) await once(host.stdout, 'data')
    const all = said
    said = ''
    return all
  }
  const ready = asked()
  return {
    async type(line: string): Promise<string> {
      await ready
      host.stdin.write(`${line}\n`)
      return asked()
    },
    async end(): Promise<void> {
      host.stdin.end()
      await once(host, 'exit')
    },
  }
}

function filesIn(folder: string): Tree {
  const paths = readdirSync(join(folder, 'skills'), { recursive: true, encoding: 'utf8' })
  const files = paths.filter(path => /\.(md|ts)$/.test(path)).map(path => `skills/${path}`)
  return Object.fromEntries(files.map(path => [path, readFileSync(join(folder, path), 'utf8')]))
}
