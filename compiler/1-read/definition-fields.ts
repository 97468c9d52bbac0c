/** The fields of what `defineTool` is given; all but these are left out of the tool. */
export const DEFINITION_FIELDS: readonly string[] = [
  'name',
  'description',
  'params',
  'returns',
  'execute',
  'tags',
  'role',
  'visibility',
  'allowedTools',
  'metadata',
]
