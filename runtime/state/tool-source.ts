import type { JsonObject } from '../../src/base/json.js'
import type { ToolRecord } from '../../src/index/index-format.js'
import type { Globals } from './context.js'
import type { Found } from './directory-state.js'
import type { ToolDef } from './tool-def.js'

/** A tool's record, and what else its directory says of it. */
export interface ToolSource extends Found {
  record: ToolRecord
  /** The author's frontmatter, if only running the code gave all of it. */
  verbatim?: JsonObject
}

/**
 * A tool of a directory, with where it was read for what is asked of it later. Its fields are made when they are read:
 * for ten thousand tools in a list, fields that nobody looks at would take most of the time. No copy of a tool has them.
 */
export class Sourced {
  readonly #source: ToolSource
  readonly #globals: Globals
  readonly #kept: Record<string, unknown> = {}

  constructor(
    readonly name: string,
    source: ToolSource,
    globals: Globals,
  ) {
    this.#source = source
    this.#globals = globals
  }

  static sourceOf(tool: object): ToolSource | undefined {
    return #source in tool ? tool.#source : undefined
  }

  /** Defines fields by how they are made. */
  static define(fields: Record<string, Compute>): void {
    for (const key in fields)
      Object.defineProperty(Sourced.prototype, key, {
        get(this: Sourced & ToolDef) {
          this.#kept[key] ??= fields[key]?.(this.#source, this.#globals, this)
          return this.#kept[key]
        },
      })
  }
}

type Compute = (source: ToolSource, globals: Globals, tool: ToolDef) => unknown

/** The source of a tool that this copy of the package made. */
export const sourceOf: (tool: ToolDef) => ToolSource | undefined = Sourced.sourceOf
