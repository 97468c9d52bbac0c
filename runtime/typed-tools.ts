import type { InvokeOptions } from './state/context.js'

/**
 * The types of a program's tools. An application declares them once, with the type that `agent-apps compile --types`
 * writes; a program with several runtimes uses `createRuntime<Tools>()` instead.
 *
 * ```ts
 * declare module 'agent-apps/runtime' {
 *   interface Register { tools: Tools }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications merge with it.
export interface Register {}

/** The tools that an application declares by `Register`; unknown if it declares none. */
export type RegisteredTools = Register extends { tools: infer Tools } ? Tools : unknown

/** The names of tools; any string if they are unknown. */
export type ToolName<Tools> = [keyof Tools] extends [never] ? string : Extract<keyof Tools, string>

/**
 * A reference to a tool. A literal must be the name of one, or a path or URI, which contain a slash; a value of
 * type `string` may be anything.
 */
export type ToolRef<Tools, Ref extends string> = string extends Ref
  ? Ref
  : Ref extends ToolName<Tools> | `${string}/${string}`
    ? Ref
    : ToolName<Tools>

/** The parameters of a call after the tool's name: its arguments, which may be left out if none are needed. */
export type CallArguments<Tools, Ref> = Ref extends unknown
  ? undefined extends ToolArguments<Tools, Ref>
    ? [args?: ToolArguments<Tools, Ref>, options?: InvokeOptions]
    : [args: ToolArguments<Tools, Ref>, options?: InvokeOptions]
  : never

/** The arguments of a tool; unknown for a reference that is not a known name. */
export type ToolArguments<Tools, Ref> = Ref extends keyof Tools
  ? Tools[Ref] extends { args: infer Args }
    ? Args
    : unknown
  : unknown

/** The result of a tool; unknown for a reference that is not a known name. */
export type ToolReturn<Tools, Ref> = Ref extends keyof Tools
  ? Tools[Ref] extends { result: infer Result }
    ? Result
    : unknown
  : unknown

/** Tools as functions, by name. */
export type ToolFunctions<Tools> = {
  readonly [Name in ToolName<Tools>]: (
    ...call: CallArguments<Tools, Name>
  ) => Promise<ToolReturn<Tools, Name>>
}
