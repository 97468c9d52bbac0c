import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dump } from 'js-yaml'
import { seededRandom } from './random.js'

const list = text => text.split(' ')
const VERBS = list('review plan draft test deploy inspect migrate refactor profile explain')
const NOUNS = list('service schema report pipeline contract dashboard release notebook queue')
const WORDS = [
  ...[...VERBS, ...NOUNS, ...list('the a of when user asks with and before after each every result file')],
  ...list('folder change error output carefully first then never always existing new small large public'),
]

/**
 * Writes a directory of folder skills as real ones are: a description of about 200 characters and a body of 2 to
 * 6 kB; one in three has characters past ASCII, one in four metadata, one in fifty resources. The same count gives the same bytes.
 *
 * @returns for each skill its frontmatter's fields and its file, relative to the directory
 */
export function generateSkills(directory, count) {
  const random = seededRandom(count)
  return Array.from({ length: count }, (_, number) => writeSkill(directory, number, random))
}

function writeSkill(directory, number, random) {
  const name = `${pick(VERBS, random)}-${pick(NOUNS, random)}-${number}`
  const fields = { name, description: sentence(random, 150 + random() * 100), ...moreFields(random) }
  const folder = join(directory, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), `---\n${dump(fields, { lineWidth: -1 })}---\n${body(name, random)}`)
  if (random() < 0.02) writeResources(folder, random)
  return { ...fields, file: `${name}/SKILL.md` }
}

function moreFields(random) {
  if (random() >= 0.25) return {}
  const tags = [pick(NOUNS, random), pick(VERBS, random)]
  const metadata = { author: pick(NOUNS, random), version: `1.${Math.floor(random() * 20)}`, tags }
  return { license: 'MIT', metadata }
}

function body(name, random) {
  const length = 2_000 + random() * 4_000
  const parts = [`\n# ${name}${random() < 0.33 ? ' — an overview' : ''}\n`]
  for (let size = 0; size < length; ) {
    const part = section(random)
    parts.push(part)
    size += part.length
  }
  return parts.join('\n')
}

function section(random) {
  const kind = random()
  if (kind < 0.15) return `## ${sentence(random, 30)}\n`
  if (kind < 0.3) return `\`\`\`sh\nnpm run ${pick(VERBS, random)} -- --port :8080\n\`\`\`\n`
  if (kind < 0.6) return Array.from({ length: 4 }, () => `- ${sentence(random, 60)}\n`).join('')
  return `${sentence(random, 400)}\n`
}

function writeResources(folder, random) {
  const references = join(folder, 'references')
  mkdirSync(references)
  for (const name of ['guide.md', 'template.txt'])
    writeFileSync(join(references, name), sentence(random, 3_000))
}

function sentence(random, length) {
  let text = 'Use to'
  while (text.length < length) text += ` ${pick(WORDS, random)}`
  return `${text}.`
}

function pick(list, random) {
  return list[Math.floor(random() * list.length)]
}
