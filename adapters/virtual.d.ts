/**
 * The module that `agent-apps/esbuild` and `agent-apps/vite` provide: the project's bundle.
 *
 * @module agent-apps/virtual
 */
declare module 'virtual:agent-apps' {
  import type { Runtime, ToolFunctions } from 'agent-apps/runtime'

  /** The tools by name, which a plugin's option `types` writes. While it is empty, every name is accepted. */
  export interface Tools {}

  /** A name of the bundle's tools. */
  export type ToolName = keyof Tools
  /** The runtime of the bundle, whose calls are typed by `Tools`. */
  export type BundledRuntime = Runtime<Tools>

  /** The runtime over the bundled skills. It reads no files. */
  export const runtime: BundledRuntime
  /** The bundled tools as functions, by name. */
  export const tools: ToolFunctions<Tools>
}
