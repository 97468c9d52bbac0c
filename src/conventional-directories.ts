/** Where a project's skills lie by convention, relative to it. */
export const CONVENTIONAL_DIRECTORIES: readonly string[] = [
  'skills',
  ...['agents', 'claude', 'github', 'codex', 'opencode', 'cursor', 'gemini'].map(agent => `.${agent}/skills`),
]
