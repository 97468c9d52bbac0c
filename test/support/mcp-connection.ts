import type { McpConnection } from 'agent-apps/mcp'

/** Waits until what a connection tells of fits. */
export function until(connection: McpConnection, fits: () => boolean): Promise<void> {
  return new Promise(resolve => {
    const look = (): void => {
      if (fits()) {
        stop()
        resolve()
      }
    }
    const stop = connection.onChange(look)
    look()
  })
}
