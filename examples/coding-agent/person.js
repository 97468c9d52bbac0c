// The person at the terminal: what they are shown, and what they answer.
import { createInterface } from 'node:readline'

const ANSWERS = { y: 'allow-once', s: 'allow-session', n: 'deny' }

/** Asks about a call, with what it would do. */
export async function askPerson({ kind, text }) {
  if (kind !== 'approval') return 'deny'
  say(`\n${text}`)
  process.stdout.write('Allow it? [y]es, yes for this [s]ession, [n]o: ')
  return ANSWERS[await nextLine()] ?? 'deny'
}

/** Shows a text. What comes from a project could move the cursor, and so change what the person believes to read. */
export function say(text) {
  process.stdout.write(`${text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, shownCharacter)}\n`)
}

function shownCharacter(one) {
  return `\\u{${one.codePointAt(0).toString(16)}}`
}

let lines

async function nextLine() {
  lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  const { value = '' } = await lines.next()
  return value.trim()
}
