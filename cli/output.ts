import { styleText } from 'node:util'
import type { Io, Terminal } from './standard-io.js'

type Style = Parameters<typeof styleText>[0]

export interface OutputOptions {
  json: boolean
  quiet: boolean
  verbose: boolean
  /** Undefined: where the stream is a terminal and NO_COLOR is not set. */
  color: boolean | undefined
}

/** Where a command's words go: results to stdout, all else to stderr. */
export class Output {
  readonly stdout: Terminal
  readonly stderr: Terminal
  readonly json: boolean
  readonly quiet: boolean
  readonly verbose: boolean
  readonly #color: boolean | undefined

  constructor(
    { stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>,
    { json, quiet, verbose, color }: OutputOptions,
  ) {
    this.stdout = stdout
    this.stderr = stderr
    this.json = json
    this.quiet = quiet
    this.verbose = verbose
    this.#color = color
  }

  /** A line of the result. */
  result(line: string): void {
    this.stdout.write(`${line}\n`)
  }

  /** A result exactly as it is, with nothing added. */
  exact(text: string): void {
    this.stdout.write(text)
  }

  jsonResult(value: unknown): void {
    this.result(JSON.stringify(value, null, 2))
  }

  /** One of several results, each a line. */
  jsonLine(value: unknown): void {
    this.result(JSON.stringify(value))
  }

  /** A word on the way, left out with `--quiet`. */
  note(line: string): void {
    if (!this.quiet) this.stderr.write(`${line}\n`)
  }

  error(line: string): void {
    this.stderr.write(`${line}\n`)
  }

  /** Text in a style where colours are wanted. `stream` is where it will be written. */
  style(style: Style, text: string, stream = this.stdout): string {
    const wanted = this.#color ?? (stream.isTTY && !process.env.NO_COLOR)
    // Whether to is decided here, not by what Node thinks of the standard output.
    return wanted ? styleText(style, text, { validateStream: false }) : text
  }
}

/** Text of a skill for a terminal, with control characters made visible: what a file says must not move the cursor. */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g,
    character => {
      const code = character.charCodeAt(0)
      return code === 9 || code === 10 ? ' ' : `\\u${code.toString(16).padStart(4, '0')}`
    },
  )
}

/** `1204` as `1,204`; `1 skill`, `2 skills`. */
export function count(number: number, noun?: string): string {
  // What a locale would do takes longer to load than a small compile.
  const shown = String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
  return noun === undefined ? shown : `${shown} ${noun}${number === 1 ? '' : 's'}`
}

/** What listing the tools in a prompt costs. */
export function catalogLine({ tools, tokens }: { tools: number; tokens: number }): string {
  return `catalog: ${count(tools, 'tool')}, about ${count(tokens, 'token')}`
}
