import { isJsonObject, type JsonValue } from '../base/json.js'
import { shownLines, shownText, visibleText } from './shown-text.js'

/** A call that a person is asked about, as far as they are shown it. */
interface QuestionedCall {
  tool: string
  layer: string
  reason: string
  /** Null where all arguments are the key. */
  key: string | null
  args: JsonValue
  ignored: readonly string[]
  preview: string | null
}

/** More lines of one text would push the others off the screen. */
const LINES_MAX = 40
/** The most lines of an argument if there is a preview. */
const LINES_BESIDE_PREVIEW = 10
const ARGUMENTS_MAX = 100

/**
 * The question about a call, the same for every host: the tool, its key, every argument and the preview.
 * Invisible characters are written as escapes. Only lines of the question begin without a space, and lines of a value
 * begin with a bar, so that no value can imitate a part of the question.
 */
export function questionText(call: QuestionedCall): string {
  const { tool, layer, reason, key, args, ignored } = call
  const given = isJsonObject(args) ? args : { arguments: args }
  // An argument is not shown twice.
  const preview = Object.values(given).includes(call.preview) ? null : call.preview
  const most = preview === null ? LINES_MAX : LINES_BESIDE_PREVIEW
  const named = Object.entries(given)
  const left = named.length - ARGUMENTS_MAX
  const lines = [
    `${visibleText(tool)} (${layer}) needs approval, as ${visibleText(reason)}.`,
    ...(key === null ? [] : [`Key: ${key}`]),
    ...named.slice(0, ARGUMENTS_MAX).map(([name, value]) => argumentText(name, value, most)),
    ...(left > 0 ? [`(and ${left} more arguments)`] : []),
    ...(preview === null ? [] : ['Preview:', textBlock(preview, LINES_MAX)]),
    ...(ignored.length > 0
      ? [`An answer for more than this call is for any value of ${namesText(ignored)}.`]
      : []),
  ]
  return lines.join('\n')
}

function argumentText(name: string, value: JsonValue, most: number): string {
  const shown = `  ${nameText(name)}:`
  if (typeof value === 'string' && value.includes('\n')) return `${shown}\n${textBlock(value, most)}`
  const isPlain = typeof value === 'string' && value !== '' && value.trim() === value
  return `${shown} ${shownText(isPlain ? value : JSON.stringify(value))}`
}

/** The names of arguments. One that is not a word is quoted, so that it does not read as a part of the question. */
function namesText(names: readonly string[]): string {
  const left = names.length - ARGUMENTS_MAX
  const shown = names.slice(0, ARGUMENTS_MAX).map(nameText).join(', ')
  return left > 0 ? `${shown} and ${left} more` : shown
}

function nameText(name: string): string {
  return shownText(/^[\w$.-]+$/.test(name) ? name : JSON.stringify(name))
}

/** The lines of a value, each after a bar. */
function textBlock(text: string, most: number): string {
  const { lines, count } = shownLines(text, most)
  const left = count - lines.length
  return [...lines.map(line => `  | ${line}`), ...(left > 0 ? [`  (and ${left} more lines)`] : [])].join('\n')
}
