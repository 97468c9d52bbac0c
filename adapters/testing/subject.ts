import type { AnyDefinition, InvokeOptions, Runtime, ToolDef } from 'agent-apps'

/** A part of the contract. */
export type CheckName = 'definition' | 'schemas' | 'result' | 'key' | 'abort' | 'hooks' | 'env'

/** A tool's breach of its contract. */
export interface ConformanceProblem {
  check: CheckName
  message: string
  /** The index of the sample in `args`; absent if it concerns none. */
  sample?: number
}

export interface Subject {
  runtime: Runtime
  tool: ToolDef
  /** Null for a tool that `defineTool` did not make. */
  definition: (AnyDefinition & { env?: readonly string[] }) | null
  samples: readonly unknown[]
  refused: readonly unknown[]
  /** The arguments of a long call. */
  slow: unknown
  /** The time that an aborted call may take to end, in milliseconds. */
  abortMs: number
  call: (args: unknown, options?: InvokeOptions) => Promise<unknown>
  /** Adds a problem. */
  fault: (check: CheckName, message: string, sample?: number) => void
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
