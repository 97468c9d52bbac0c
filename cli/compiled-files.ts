/** True for the file that `compile` writes beside a configuration. */
export function isProjectFile(file: string): boolean {
  return /(?:^|\/)\.agent-apps\/project\.json$/.test(file)
}

/**
 * Returns the index that a file of a compile belongs to, for shards and modules too; null for a file of a
 * bundle, and for other files.
 */
export function indexOf(file: string): string | null {
  const index = isProjectFile(file) ? null : /^(.*\/)?\.agent-apps(?:\.json$|\/)/.exec(file)
  return index ? `${index[1] ?? ''}.agent-apps.json` : null
}
