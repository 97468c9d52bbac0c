import type { ToolDefinition } from './define-tool.js'
import { GUARDS_TO_COME } from './guards-to-come.js'

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

/** The fields of what `defineTool` is given. */
export const DEFINITION_FIELDS: readonly string[] = Object.keys(FIELDS)

/** The fields that a definition may have although nothing reads them yet. */
export const FIELDS_TO_COME = ['descriptionPath', 'init', 'timeout']

const ALL_FIELDS = [...DEFINITION_FIELDS, ...FIELDS_TO_COME, ...GUARDS_TO_COME]

/** True for a field that `defineTool` takes. */
export function isDefinitionField(field: string): boolean {
  return ALL_FIELDS.includes(field)
}
