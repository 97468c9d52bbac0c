import type { JsonObject } from '../../src/base/json.js'
import type { ToolRecord } from '../../src/index/index-format.js'
import type { Globals } from './context.js'
import type { Found } from './directory-state.js'
import type { ToolDef } from './tool-def.js'

/** A tool's record, with its directory. */
export interface ToolSource extends Found {
  record: ToolRecord
  /** The author's frontmatter, if running the code completed it. */
  verbatim?: JsonObject
  /**
   * True if the tool's row of a list is plain (see `isPlain` of offered-tool.ts). Reading or setting a field of the tool makes it
   * false: a caller may have changed what decides.
   */
  isPlain?: boolean
  /** False for a tool whose row of a list has no description. */
  readonly isDescribed?: boolean
  /** The record's, where that has not been made yet. */
  readonly file?: string
}

/**
 * A tool of a directory. The source is in a private field, so that copies do not have it. Fields that take time are made
 * when they are first read: ten thousand tools are listed, and few are looked at.
 */
export class Sourced {
  readonly #source: ToolSource
  readonly #globals: Globals
  readonly #made: Record<string, unknown> = {}

  constructor(source: ToolSource, globals: Globals) {
    this.#source = source
    this.#globals = globals
  }

  static sourceOf(tool: object): ToolSource | undefined {
    return #source in tool ? tool.#source : undefined
  }

  /** Descriptors of such fields. All tools share their functions: own ones would take several times as long. */
  static later<Key extends keyof ToolDef>(
    makes: { [One in Key]: Make<ToolDef[One]> },
  ): Record<Key, PropertyDescriptor> {
    const fields: Record<string, PropertyDescriptor & ThisType<Sourced>> = {}
    for (const [key, make] of Object.entries<Make<unknown>>(makes)) {
      fields[key] = {
        enumerable: true,
        get() {
          this.#source.isPlain &&= false
          this.#made[key] ??= make(this.#source, this.#globals, this as object as ToolDef)
          return this.#made[key]
        },
        set(value) {
          this.#source.isPlain &&= false
          this.#made[key] = value
        },
      }
    }
    return fields
  }
}

type Make<Value> = (source: ToolSource, globals: Globals, tool: ToolDef) => Value

/** The source of a tool; undefined for a registered one, and for one of another copy of the package. */
export const sourceOf: (tool: ToolDef) => ToolSource | undefined = Sourced.sourceOf
