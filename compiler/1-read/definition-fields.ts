import type { ToolDefinition } from '../../src/define-tool.js'

const FIELDS: Record<keyof ToolDefinition, true> = {
  name: true,
  description: true,
  params: true,
  returns: true,
  execute: true,
  tags: true,
  role: true,
  visibility: true,
  allowedTools: true,
  metadata: true,
}

/** The fields of what `defineTool` is given; all but these are left out of the tool. */
export const DEFINITION_FIELDS: readonly string[] = Object.keys(FIELDS)
