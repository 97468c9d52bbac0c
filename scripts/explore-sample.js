// Skills as a team might have them, for the browser test of `agent-apps explore` and the screenshots of its page.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Writes files, which are given by their paths, below a folder. */
export function writeFiles(root, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

function markdown(name, description, body, more = '') {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n${body}\n`
}

const PLAIN = [
  ['release-notes', 'Writes release notes from merged changes, grouped by what they mean for users.'],
  ['changelog', 'Keeps the changelog up to date, one line for each change that a user notices.'],
  ['commit-message', 'Writes the message of a commit: a short first line, then why the change was made.'],
  ['code-review', 'Reviews a change for faults, names and tests, and says first what matters most.'],
  ['test-plan', 'Plans what has to be tested before a release, with what is risky first.'],
  ['bug-report', 'Turns what a customer wrote into a report that somebody can reproduce.'],
  ['meeting-summary', 'Summarises a meeting: decisions, open questions, and who does what until when.'],
  ['weekly-report', 'Writes the weekly report of the team from its tickets and merged changes.'],
  ['api-guidelines', 'Rules for the names, errors and pages of our HTTP interfaces.'],
  ['sql-style', 'How we write queries and migrations, and how they are tried before they run.'],
  ['onboarding', 'Leads somebody new through their first week, from accounts to a first change.'],
  ['interview-notes', 'Structures the notes of an interview, without judging what was not asked.'],
  ['accessibility-check', 'Looks through a page for what keyboards and screen readers need.'],
  ['translate-texts', 'Translates texts of the product, and keeps the terms of our glossary.'],
  ['customer-reply', 'Drafts an answer to a customer: short, friendly, and with the next step.'],
]

/** The files of the project. */
export function sampleProject() {
  const plain = PLAIN.map(([name, description]) => [
    `skills/${name}/SKILL.md`,
    markdown(
      name,
      description,
      `# ${name.replaceAll('-', ' ').replace(/^./, one => one.toUpperCase())}\n\n${description}\n\n## Steps\n\n1. Read what is there, and ask about what is missing.\n2. Write a first version, as short as it can be.\n3. Read it once more as the one who gets it.\n\nSee [the style](../../style.md) and [what we learned](references/examples.md).`,
    ),
  ])
  const examples = PLAIN.slice(0, 9).map(([name]) => [
    `skills/${name}/references/examples.md`,
    '# Examples\n\nTwo good ones.\n',
  ])
  return {
    ...Object.fromEntries([...plain, ...examples]),
    'agent-apps.config.json': `${JSON.stringify(
      {
        paths: ['./skills', './plugins'],
        policy: { permissions: ['read', 'network'], rules: ['send-invoice($policy=ask)'] },
        agents: [
          { id: 'support', tools: { allow: ['customer-reply', 'bug-report', '#support', 'search-tickets'] } },
          { id: 'release', tools: { deny: ['send-invoice'] }, permissions: ['read', 'write', 'network'] },
        ],
      },
      null,
      2,
    )}\n`,
    'style.md': '# Style\n\nShort sentences.\n',
    'skills/search-tickets.skill.js': `export const frontmatter = {
  name: 'search-tickets',
  description: 'Finds tickets by words, state and age.',
  metadata: {
    tags: ['support'],
    timeout: 5000,
    permissions: { required: ['network'] },
    params: {
      type: 'object',
      required: ['words'],
      properties: {
        words: { type: 'string', description: 'What the ticket is about.' },
        state: { enum: ['open', 'waiting', 'closed'] },
        days: { type: 'integer', description: 'No older than so many days.' },
      },
    },
  },
}
export default (_context, { words }) => [words]
`,
    'skills/send-invoice/SKILL.md': markdown(
      'send-invoice',
      'Sends an invoice to a customer, after somebody has looked at it.',
      '# Send an invoice\n\nCheck the address, the sum and the day it is due. Then write to the customer as [customer-reply](../customer-reply/SKILL.md) says.\n\n| Field | Where it comes from |\n| --- | --- |\n| Sum | the order |\n| Day | today and thirty days |\n\n```json\n{ "order": "A-1024", "due": "in 30 days" }\n```',
      'metadata:\n  tags: [billing, support]\n  timeout: 30000\n  retry: { attempts: 2 }\n  gated: true\n  permissions: { required: [network], optional: [write] }\n  $inherit: billing-base\n',
    ),
    'skills/billing-base/SKILL.md': markdown(
      'billing-base',
      'What all skills about money share.',
      '# Billing\n\nAmounts are in cents.',
      'metadata:\n  visibility: hidden\n  timeout: 10000\n  unit: cents\n',
    ),
    'skills/refund/SKILL.md': markdown(
      'refund',
      'Pays money back for an order, in whole or in part.',
      '# Refund\n\nFirst see whether [send-invoice](../send-invoice/SKILL.md) was used. Afterwards tell them with [customer-reply](../customer-reply/SKILL.md), and note it as [dunning](../dunning/SKILL.md) does.',
      'allowed-tools: search-tickets, send-invoce\nmetadata:\n  $inherit: billing-base\n  permissions: { required: [write, network] }\n',
    ),
    'skills/dunning/SKILL.md': markdown(
      'dunning',
      'Reminds customers of invoices that are overdue, ever less friendly.',
      '# Dunning\n\nNever remind of what [refund](../refund/SKILL.md) paid back. The letters are in [letters.md](letters.md).',
      'metadata:\n  $inherit: billing-base\n',
    ),
    'skills/unfinished/SKILL.md': '---\nname: unfinished\ndescription: [\n---\n# Unfinished\n',
    'skills/deploy/SKILL.md': markdown(
      'deploy',
      'Brings a tested version to all customers, step by step.',
      '# Deploy\n\n> Not on Fridays.\n\n1. `make release`\n2. Watch the errors for ten minutes.\n3. Write [release-notes](../release-notes/SKILL.md).',
      'metadata:\n  tags: [operations]\n  permissions: { required: [execute, network] }\n  timout: 60000\n',
    ),
    'skills/customer-reply/trigger_queries.json': `${JSON.stringify(
      [
        { query: 'draft a friendly answer to this customer', should_trigger: true },
        { query: 'somebody wrote to support that the page is broken', should_trigger: true },
        { query: 'translate the answer', should_trigger: false },
      ],
      null,
      2,
    )}\n`,
    'skills/release-notes/trigger_queries.json':
      '[{ "query": "what is new in this version", "should_trigger": true }]\n',
    'plugins/operations/.claude-plugin/plugin.json':
      '{ "name": "operations", "version": "1.2.0", "description": "What keeps the servers running." }\n',
    'plugins/operations/skills/incident/SKILL.md': markdown(
      'incident',
      'Leads through an incident: who is told, what is tried, what is written down.',
      '# Incident\n\nRun [deploy](../deploy/SKILL.md) only if it takes the last change back.',
    ),
    'plugins/operations/skills/deploy/SKILL.md': markdown(
      'deploy',
      'Deploys from the chat, for the one who is on call.',
      '# Deploy from the chat\n\nAsk the one who is on call.',
      'metadata:\n  permissions: { required: [execute] }\n',
    ),
    'plugins/operations/skills/backup-check/SKILL.md': markdown(
      'backup-check',
      'Restores last night’s backup somewhere else, and compares it.',
      '# Backup check\n\nA backup that was never restored is none.',
      'metadata:\n  permissions: { required: [read], optional: [execute] }\n',
    ),
  }
}

const CODE = "document.documentElement.dataset.ran='yes'"

/** Texts that would run or load something, wherever a page took them for its own. */
const HOSTILE = [
  `</script><script>${CODE}</script>`,
  `</style><script>${CODE}</script><!--`,
  `<img src=x onerror="${CODE}"><svg onload="${CODE}">`,
  `<iframe srcdoc="<script>parent.${CODE}</script>"></iframe>`,
  `<style>@import url(http://127.0.0.1:9/style)</style><link rel=stylesheet href=http://127.0.0.1:9/link>`,
  `<meta http-equiv=refresh content="0;url=http://127.0.0.1:9/meta"><base href=http://127.0.0.1:9/>`,
  `[click](javascript:${CODE}) <javascript:${CODE}> [data](data:text/html,<script>${CODE}</script>)`,
  `[file](file:///etc/passwd) [vb](vbscript:x) [spaces]( java&#10;script:${CODE} )`,
  '![remote](http://127.0.0.1:9/image.png) ![data](data:image/svg+xml,<svg/onload=alert(1)>)',
  '[reference][r] ![reference][r]\n\n[r]: http://127.0.0.1:9/reference "title"',
  '[honest.example](http://127.0.0.1:9/liar)',
  'safe \u202egnp.exe\u202c \u200bhidden \u0007bell \u{e0041}\u{e0042} \u2066isolate\u2069',
  `<form action=http://127.0.0.1:9/form><input name=q><button formaction="javascript:${CODE}">x</button></form>`,
  `<a href="javascript:${CODE}" onclick="${CODE}" style="position:fixed;inset:0">all</a>`,
  `{{constructor.constructor("${CODE}")()}} \${${CODE}} __proto__ constructor`,
  `- [x] <details open ontoggle="${CODE}"><summary>x</summary></details>`,
  `| a |\n| --- |\n| <object data=http://127.0.0.1:9/object> <embed src=http://127.0.0.1:9/embed> |`,
  `[^note]\n\n[^note]: <video src=http://127.0.0.1:9/video onerror="${CODE}">`,
]

/** A project of which every text is hostile. Each skill's name begins with `hostile-`. */
export function hostileProject() {
  const files = { 'agent-apps.config.json': '{ "paths": ["./skills"] }\n' }
  for (const [number, text] of HOSTILE.entries()) {
    const metadata = { 'free-data': text, tags: [text], triggers: [text] }
    const params = {
      type: 'object',
      properties: { [text]: { type: 'string', description: text, enum: [text] } },
    }
    const header = JSON.stringify({
      name: `hostile-${number}`,
      description: text,
      metadata: { ...metadata, params },
    })
    files[`skills/hostile-${number}/SKILL.md`] =
      `---\n${header}\n---\n${text}\n\n# ${text.split('\n')[0]}\n\n${text}\n\n[link](${number}.md)\n`
  }
  files['skills/hostile-0/"><img src=x onerror=alert(1)>.md'] = HOSTILE[0]
  files['skills/hostile-deep/SKILL.md'] = markdown(
    'hostile-deep',
    'Deep.',
    `${'>'.repeat(3000)} deep\n\n${'- '.repeat(800)}x`,
  )
  files['skills/hostile-long/SKILL.md'] = markdown('hostile-long', 'Long.', '[[[[<'.repeat(60_000))
  files['skills/hostile-broken/SKILL.md'] = `---\nname: [\ndescription: ${HOSTILE[2]}\n---\n${HOSTILE[0]}\n`
  return files
}

const WORDS =
  'deploy review release summarise translate migrate monitor invoice customer schema report audit cache queue index backup restore format lint test build'.split(
    ' ',
  )

/** Ten thousand plain skills. */
export function manySkills(count = 10_000) {
  const files = { 'agent-apps.config.json': '{ "paths": ["./skills"] }\n' }
  for (let number = 0; number < count; number++) {
    const [first, second, third] = [number, number * 7 + 3, number * 13 + 5].map(
      one => WORDS[one % WORDS.length],
    )
    const name = `${first}-${second}-${number}`
    files[`skills/${name}/SKILL.md`] = markdown(
      name,
      `Helps to ${first}, ${second} and ${third} for team ${number % 97}. Use it when somebody asks to ${first} a ${third}.`,
      `# ${name}\n\n${`Look at the ${second} first, then ${first} it, and write down what the ${third} said. `.repeat(12)}`,
    )
  }
  return files
}
