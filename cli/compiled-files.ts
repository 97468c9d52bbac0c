/** True for the file that `compile` writes beside a configuration. */
export function isProjectFile(file: string): boolean {
  return /(?:^|\/)\.agent-apps\/project\.json$/.test(file)
}

/** The index that a compiled file, shard or module belongs to; null for any other file, such as a bundle's. */
export function indexOf(file: string): string | null {
  const index = isProjectFile(file) ? null : /^(.*\/)?\.agent-apps(?:\.json$|\/)/.exec(file)
  return index ? `${index[1] ?? ''}.agent-apps.json` : null
}
