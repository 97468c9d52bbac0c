import type { ToolDetails } from '../../src/index/index-format.js'
import type { ReleaseRecord } from '../../src/release/release-format.js'
import { codeIn, remoteFrontmatter } from '../../src/release/remote-frontmatter.js'
import { labelOf } from '../../src/skill/names.js'
import type { ToolDef } from '../state/tool-def.js'
import { notOnlyText } from './remote-faults.js'
import type { RemoteRelease } from './remote-release.js'

/** The facts about a tool that a list has. */
export type ListedFacts = Pick<ReleaseRecord, 'kind' | 'file' | 'frontmatter'>

/**
 * Makes the tool of a published skill. Reads nothing.
 *
 * @param record loads its record, from which all is read that lists do not have
 */
export function remoteTool(
  name: string,
  { kind, file, frontmatter }: ListedFacts,
  record: () => Promise<ReleaseRecord>,
  release: RemoteRelease,
): ToolDef {
  const { url } = release
  const why = codeIn(kind, frontmatter)
  const onlyText = async (): Promise<ReleaseRecord> => {
    const found = await record()
    const code = why ?? codeIn(found.kind, found.frontmatter) ?? found.code
    if (code !== null && code !== undefined) throw notOnlyText(name, url, code)
    return found
  }
  const content = async (): Promise<string> => textOf(await onlyText(), release)
  const source = async (): Promise<Uint8Array> => release.file(await onlyText())
  return {
    name,
    label: labelOf(name),
    kind,
    runs: why !== null,
    frontmatter: remoteFrontmatter(kind, frontmatter),
    fn: content,
    ...(kind !== 'code' && { content, source }),
    src: `${url}#${name}`,
    origin: { layer: 'remote', entry: url, file, via: 'remote', shadows: [] },
    digest: `${release.entry.integrity} ${name}`,
    published: {
      details: async () => detailsOf(await record()),
      async read(path) {
        const listed = (await onlyText()).resources.find(resource => resource.path === path)
        return listed ? release.file(listed) : null
      },
    },
  }
}

/** The text of a skill, with what it includes. A byte order mark inside content is content. */
async function textOf(
  { text, content = [0, 0], size, sha256 }: ReleaseRecord,
  release: RemoteRelease,
): Promise<string> {
  const bytes = text ? await release.file(text) : (await release.file({ size, sha256 })).subarray(...content)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

function detailsOf(record: ReleaseRecord): Required<ToolDetails> {
  const { verbatim, resources, references = [], placeholders = [], size, sha256 } = record
  return { verbatim, resources, references, placeholders, file: sha256 === '' ? null : { size, sha256 } }
}
