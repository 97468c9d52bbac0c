import { gzipSync } from 'fflate'
import { packTar } from 'modern-tar'
import { byText, type ExportedFiles } from './exported-files.js'

/**
 * Files as a `.tar.gz` that is the same bytes on every machine: sorted, without times and owners, with one of two
 * modes, and compressed by code that is no part of Node, whose zlib differs from version to version.
 */
export async function archive(files: ExportedFiles): Promise<Uint8Array> {
  const sorted = [...files].sort(([a], [b]) => byText(a, b))
  const tar = await packTar(
    sorted.map(([name, { bytes, isExecutable }]) => ({
      header: {
        name,
        size: bytes.length,
        type: 'file' as const,
        mode: isExecutable ? 0o755 : 0o644,
        mtime: new Date(0),
        uid: 0,
        gid: 0,
      },
      body: bytes,
    })),
  )
  return gzipSync(tar, { level: 9, mtime: 0 })
}
