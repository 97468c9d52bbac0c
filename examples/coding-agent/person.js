// The person at the terminal: what they are shown, and what they answer.
import { createInterface } from 'node:readline'

const ANSWERS = { y: 'allow-once', s: 'allow-session', n: 'deny' }

/** Asks about a call, with what it would do. The runtime asks about one call at a time. */
export async function askPerson({ kind, text, signal }) {
  if (kind !== 'approval') return 'deny'
  say(`\n${text}`)
  process.stdout.write('Allow it? [y]es, yes for this [s]ession, [n]o: ')
  return ANSWERS[await nextLine(signal)] ?? 'deny'
}

/** Prints text of a project without control characters, which could move the cursor and mislead the person. */
export function say(text) {
  process.stdout.write(`${text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, shownCharacter)}\n`)
}

function shownCharacter(one) {
  return `\\u{${one.codePointAt(0).toString(16)}}`
}

let lines
let next

/** Returns what the person types next; nothing once no answer is wanted, so that the next question gets the line. */
async function nextLine(signal) {
  lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  next ??= lines.next()
  const ended = new Promise(resolve => signal.addEventListener('abort', () => resolve(null)))
  const line = await Promise.race([next, ended])
  if (line === null) return ''
  next = undefined
  return line.value?.trim()
}
