/** What `agent-apps/esbuild` and `agent-apps/vite` provide: the project's bundle. */
declare module 'virtual:agent-apps' {
  import type { InvokeOptions, Runtime } from 'agent-apps/runtime'

  /** The tools, by name: a plugin's option `types` writes them. As long as it is empty, every name is let pass. */
  export interface Tools {}

  export type ToolName = keyof Tools

  /** What follows a tool's name in a call. */
  type Call<Name extends ToolName> =
    undefined extends Args<Name>
      ? [args?: Args<Name>, options?: InvokeOptions]
      : [args: Args<Name>, options?: InvokeOptions]
  type Args<Name extends ToolName> = Tools[Name] extends { args: infer Given } ? Given : unknown
  type Result<Name extends ToolName> = Tools[Name] extends { result: infer Given } ? Given : unknown

  type CallOf<Ref> = Ref extends ToolName ? Call<Ref> : [args?: unknown, options?: InvokeOptions]
  type ResultOf<Ref> = Ref extends ToolName ? Result<Ref> : unknown

  export interface BundledRuntime extends Omit<Runtime, 'invoke'> {
    /** Calls a tool by its name, or by a reference that is none: a path, a URI. */
    invoke<Ref extends ToolName | `${string}/${string}`>(
      ref: Ref,
      ...call: CallOf<Ref>
    ): Promise<ResultOf<Ref>>
  }

  export const runtime: [ToolName] extends [never] ? Runtime : BundledRuntime
  export const tools: [ToolName] extends [never]
    ? Readonly<Record<string, (args?: unknown, options?: InvokeOptions) => Promise<unknown>>>
    : { readonly [Name in ToolName]: (...call: Call<Name>) => Promise<Result<Name>> }
}
