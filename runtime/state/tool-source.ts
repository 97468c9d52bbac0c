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
}

/** A tool or its origin. The source is in a private field, so that copies do not have it. */
export class Sourced {
  readonly #source: ToolSource
  readonly #globals: Globals

  constructor(source: ToolSource, globals: Globals, fields: object, computed: PropertyDescriptorMap) {
    this.#source = source
    this.#globals = globals
    Object.defineProperties(Object.assign(this, fields), computed)
  }

  static sourceOf(tool: object): ToolSource | undefined {
    return #source in tool ? tool.#source : undefined
  }

  /** A field that is computed when read. All objects share its function: one per object would be several times slower. */
  static computed(
    compute: (source: ToolSource, globals: Globals) => unknown,
  ): PropertyDescriptor & ThisType<Sourced> {
    return {
      enumerable: true,
      get() {
        return compute(this.#source, this.#globals)
      },
    }
  }
}

/** The source of a tool; undefined for a registered one, and for one of another copy of the package. */
export function sourceOf(tool: ToolDef): ToolSource | undefined {
  return Sourced.sourceOf(tool)
}
