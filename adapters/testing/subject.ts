import type { AnyDefinition, InvokeOptions, Runtime, ToolDef } from 'agent-apps'

/** The part of the contract that a check is about. */
export type CheckName = 'definition' | 'schemas' | 'result' | 'key' | 'abort' | 'hooks' | 'env'

/** A tool's breach of its contract. */
export interface ConformanceProblem {
  check: CheckName
  message: string
  /** The index in `args` of the sample that showed it; absent where it has to do with none. */
  sample?: number
}

/** The tool that is looked at, and how it is called. */
export interface Subject {
  /** The runtime that it is called in. */
  runtime: Runtime
  tool: ToolDef
  /** Null for a tool that `defineTool` did not make. */
  definition: (AnyDefinition & Partial<Declared>) | null
  samples: readonly unknown[]
  refused: readonly unknown[]
  /** The arguments of a call that takes long. */
  slow: unknown
  /** How long it may take to end what was aborted, in milliseconds. */
  abortMs: number
  call: (args: unknown, options?: InvokeOptions) => Promise<unknown>
  /** Notes a problem. */
  fault: (check: CheckName, message: string, sample?: number) => void
}

/** The other declarations of a tool. */
export interface Declared {
  env: readonly string[]
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
