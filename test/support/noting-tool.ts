import { defineTool, type ToolDefinition } from 'agent-apps'

/** A tool with all hooks, which notes when each is called, and its calls. Its instances are `<name> <number>`. */
export function notingTool(name: string, log: string[], more: Partial<ToolDefinition> = {}) {
  let made = 0
  return defineTool({
    name,
    description: `Notes what is called of ${name}.`,
    init: () => {
      log.push(`init ${name}`)
      return `${name} ${++made}`
    },
    activate: ({ instance }) => void log.push(`activate ${instance}`),
    deactivate: ({ instance }) => void log.push(`deactivate ${instance}`),
    dispose: ({ instance }) => void log.push(`dispose ${instance}`),
    execute: (_args, { instance }) => {
      log.push(`call ${instance}`)
      return instance
    },
    ...more,
  })
}
