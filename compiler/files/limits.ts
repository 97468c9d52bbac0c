/** Limits that no real skill comes near: of 11,673 public ones the largest has 160,145 bytes, depth 6 and 59 keys. */
export const limits = {
  /** Bytes of a skill file. */
  fileBytes: 1024 * 1024,
  /** Bytes between the fences. */
  frontmatterBytes: 64 * 1024,
  /** Collections inside collections, the frontmatter itself counted. */
  frontmatterDepth: 32,
  /** Keys of all mappings together. */
  frontmatterKeys: 1000,
  /** Brackets inside brackets of a code skill. From about 700 on, the parser can end the process. */
  codeDepth: 400,
  /** Directories inside directories, from the path entry. */
  walkDepth: 64,
  /** Files and directories looked at in one path entry. */
  walkItems: 2_000_000,
  /** Bytes of a plugin manifest. */
  manifestBytes: 1024 * 1024,
  /** Plugins of a marketplace. */
  plugins: 10_000,
  /** Paths to skills of a plugin. */
  pluginPaths: 1000,
  /** Directories inside directories where skills are looked for that no convention leads to. */
  searchDepth: 5,
  /** The most repairs of one file's frontmatter that YAML refuses; each takes one more parse. */
  repairs: 100,
  /** Findings of one rule that are kept for one file. Reports show fewer, and baselines and machines get all. */
  findingsPerRule: 10_000,
}
