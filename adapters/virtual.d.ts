/** The module that `agent-apps/esbuild` and `agent-apps/vite` provide: the project's bundle. */
declare module 'virtual:agent-apps' {
  import type { Runtime, ToolFunctions } from 'agent-apps/runtime'

  /** The tools by name, which a plugin's option `types` writes. While it is empty, every name is accepted. */
  export interface Tools {}

  export type ToolName = keyof Tools
  export type BundledRuntime = Runtime<Tools>

  export const runtime: BundledRuntime
  export const tools: ToolFunctions<Tools>
}
