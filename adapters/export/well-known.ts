import { archive } from './archive.js'
import { type ExportedFiles, exportedFile, inFolder, jsonFile, sha256 } from './exported-files.js'
import { type ExportedSkill, SKILL_FILE } from './skill-files.js'

/** The value that identifies version 0.2.0 of the discovery index. */
const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'

/**
 * The files of `/.well-known/agent-skills/`: the index, and each skill as its one file, or as an archive of its folder.
 * URLs are relative to the index, so that it may lie below any path.
 */
export async function wellKnownFiles(skills: readonly ExportedSkill[]): Promise<ExportedFiles> {
  const files: ExportedFiles = new Map()
  const entries: object[] = []
  for (const { name, description, files: own } of skills) {
    const isArchive = own.size > 1
    const file = isArchive ? `${name}.tar.gz` : SKILL_FILE
    const artifact = isArchive ? exportedFile(await archive(own)) : own.get(SKILL_FILE)
    if (!artifact) continue
    for (const [path, one] of inFolder(name, new Map([[file, artifact]]))) files.set(path, one)
    entries.push({
      name,
      type: isArchive ? 'archive' : 'skill-md',
      description,
      url: `${name}/${file}`,
      digest: `sha256:${sha256(artifact.bytes)}`,
    })
  }
  files.set('index.json', jsonFile({ $schema: SCHEMA, skills: entries }))
  return files
}
