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

/** A tool or its origin, with its source in a private field, which copies do not have. */
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

  /** A field that is computed when it is read. All objects share its function: ones of their own would take several times as long. */
  static computed(compute: Compute): PropertyDescriptor & ThisType<Sourced> {
    return {
      enumerable: true,
      get() {
        return compute(this.#source, this.#globals)
      },
    }
  }
}

type Compute = (source: ToolSource, globals: Globals) => unknown

/** The source of a tool that this copy of the package made. */
export function sourceOf(tool: ToolDef): ToolSource | undefined {
  return Sourced.sourceOf(tool)
}
