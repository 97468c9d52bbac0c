import { styleText } from 'node:util'
import { visibleJson, visibleText } from '../src/policy/shown-text.js'
import type { Io, Terminal } from './standard-io.js'

type Style = Parameters<typeof styleText>[0]

export interface OutputOptions {
  json: boolean
  quiet: boolean
  verbose: boolean
  /** Undefined: colours if the stream is a terminal and NO_COLOR is not set. */
  color: boolean | undefined
}

/** Writes a command's output: results to stdout, everything else to stderr. */
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

  /** Writes a line of the result. */
  result(line: string): void {
    this.stdout.write(`${line}\n`)
  }

  /** Writes a result exactly as it is. */
  exact(text: string): void {
    this.stdout.write(text)
  }

  jsonResult(value: unknown): void {
    this.result(visibleJson(JSON.stringify(value, null, 2)))
  }

  /** Writes one of several results, each as one line of JSON. */
  jsonLine(value: unknown): void {
    this.result(visibleJson(JSON.stringify(value)))
  }

  /** Writes a remark, which `--quiet` suppresses. */
  note(line: string): void {
    if (!this.quiet) this.stderr.write(`${line}\n`)
  }

  error(line: string): void {
    this.stderr.write(`${line}\n`)
  }

  /** Text in a style where colours are wanted. `stream` is where it will be written. */
  style(style: Style, text: string, stream = this.stdout): string {
    const wanted = this.#color ?? (stream.isTTY && !process.env.NO_COLOR)
    // The decision is made here, and not by Node, which looks only at standard output.
    return wanted ? styleText(style, text, { validateStream: false }) : text
  }
}

/**
 * Makes control characters in a skill's text visible, so that no file can move the cursor of the terminal. GitHub
 * runs what follows `##[` as a command, wherever it stands in a line, so that the `[` is made visible there, too.
 */
export function printable(text: string): string {
  return visibleText(text.replace(/[\t\n]/g, ' ')).replace(/(?<=##)\[/g, '\\u005b')
}

/** Formats `1204` as `1,204`; with a noun, `1 skill`, `2 skills`. */
export function count(number: number, noun?: string): string {
  // Loading locale data would take longer than a small compile.
  const shown = String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
  return noun === undefined ? shown : `${shown} ${noun}${number === 1 ? '' : 's'}`
}

/** Returns the line about what listing the tools in a prompt costs. */
export function catalogLine({ tools, tokens }: { tools: number; tokens: number }): string {
  return `catalog: ${count(tools, 'tool')}, about ${count(tokens, 'token')}`
}
