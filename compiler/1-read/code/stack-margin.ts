import type { Parser } from 'acorn'

declare module 'acorn' {
  interface Parser {
    /** Reads the next token. Whatever the parser recurses through, it reads a token at each level. */
    nextToken(): void
  }
}

/** As arguments of a call they take 32 KiB of the stack: more than a regular expression needs, and the levels of so many tokens. */
const MARGIN: unknown[] = new Array(4096).fill(undefined)
const TOKENS_BETWEEN = 8

/**
 * Extends a parser so that text that nests too deeply has it throw while there is still some stack left. Otherwise the parser comes
 * to run a regular expression where there is none, and V8 ends the process if it has to compile one then.
 */
export function withStackMargin(Base: typeof Parser): typeof Parser {
  return class extends Base {
    #tokens = 0

    override nextToken(): void {
      if (this.#tokens++ % TOKENS_BETWEEN === 0) Reflect.apply(noop, undefined, MARGIN)
      super.nextToken()
    }
  }
}

function noop(): void {}
