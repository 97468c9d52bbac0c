import { styleText } from 'node:util'
import { visibleJson, visibleText } from '../src/policy/shown-text.js'
import type { Io, Terminal } from './standard-io.js'

interface OutputOptions {
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

  /** Writes a result without a line break. */
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

  /** Styles text if colours are enabled for the stream that it will be written to. */
  style(style: Parameters<typeof styleText>[0], text: string, stream = this.stdout): string {
    const wanted = this.#color ?? (stream.isTTY && !process.env.NO_COLOR)
    // Node itself would look only at standard output.
    return wanted ? styleText(style, text, { validateStream: false }) : text
  }
}

/**
 * Escapes control characters, so that no skill can move the cursor of the terminal. After `##` it also escapes `[`, since
 * GitHub runs what follows `##[` as a command, anywhere in a line.
 */
export function printable(text: string): string {
  return visibleText(text.replace(/[\t\n]/g, ' ')).replace(/(?<=##)\[/g, '\\u005b')
}

/** Formats `1204` as `1,204`; with a noun, `1 skill`, `2 skills`. */
export function count(number: number, noun?: string): string {
  // Loading locale data takes longer than a small compile.
  const shown = String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
  return noun === undefined ? shown : `${shown} ${noun}${number === 1 ? '' : 's'}`
}

/** The line about the size of the catalog in a prompt. */
export function catalogLine({ tools, tokens }: { tools: number; tokens: number }): string {
  return `catalog: ${count(tools, 'tool')}, about ${count(tokens, 'token')}`
}
