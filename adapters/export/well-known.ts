import { gzipSync } from 'fflate'
import { packTar } from 'modern-tar'
import { byText, type ExportedFiles, exportedFile, inFolder, jsonFile, sha256 } from './exported-files.js'
import { type ExportedSkill, SKILL_FILE } from './skill-files.js'

/** Identifies version 0.2.0 of the discovery index. */
const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'

/**
 * The files of `/.well-known/agent-skills/`: the index, and each skill as a single file or an archive of its folder. URLs
 * are relative to the index, so that it can be served below any path.
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

/**
 * A `.tar.gz` with the same bytes on every machine: sorted, without times and owners, with one of two modes, and compressed
 * by a library, since Node's zlib differs between versions.
 */
async function archive(files: ExportedFiles): Promise<Uint8Array> {
  const sorted = [...files].sort(([a], [b]) => byText(a, b))
  const tar = await packTar(
    sorted.map(([name, { bytes, isExecutable }]) => ({
      header: {
        ...{ name, size: bytes.length, type: 'file', mode: isExecutable ? 0o755 : 0o644 },
        ...{ mtime: new Date(0), uid: 0, gid: 0 },
      },
      body: bytes,
    })),
  )
  return gzipSync(tar, { level: 9, mtime: 0 })
}
