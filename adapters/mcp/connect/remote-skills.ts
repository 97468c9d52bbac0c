import type { Client } from '@modelcontextprotocol/client'
import type { Skill, SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { type RemoteSkill, whyUnshowable } from 'agent-apps'
import { serverFault } from './call-remote.js'
import { CONNECT_MS } from './open-client.js'
import type { ServerLink } from './server-link.js'

export interface ServedSkill {
  name: string
  description: string
  /** The server's entry, with the digests of its files. */
  entry: Skill
  skill: RemoteSkill
}

/** The skills of a server under the Skills extension. Files are verified against their digests when they are read. */
export async function readSkills(
  client: Client,
  link: ServerLink,
  problems: string[],
): Promise<ServedSkill[]> {
  const { server } = link.options
  const reader = await skillsOf(client)
  if (!reader.supported) return []
  const { skills, invalid } = await reader.list({}, { timeout: CONNECT_MS }).catch(error => {
    throw serverFault(server, error)
  })
  for (const { uri = '(no URI)', reason } of invalid)
    problems.push(`The skill ${uri.slice(0, 200)} was left out: ${reason.slice(0, 200)}.`)
  return skills.flatMap(entry => {
    const fault = faultOf(entry)
    if (fault === null) return [servedSkill(entry, link)]
    problems.push(`The skill ${entry.uri.slice(0, 200)} was left out: ${fault}.`)
    return []
  })
}

/** The reason why a skill cannot be registered; null if it can. */
function faultOf(entry: Skill): string | null {
  if (!Array.isArray(entry.resources)) return 'it has no digests'
  try {
    for (const { uri } of entry.resources) decodeURIComponent(uri)
  } catch {
    return 'the URI of one of its files is invalid'
  }
  return whyUnshowable([entry])?.why ?? null
}

async function skillsOf(client: Client): Promise<SkillsClient> {
  const { SkillsClient } = await import('@modelcontextprotocol/client/ext/skills')
  return new SkillsClient(client, { skipInvalid: true })
}

function servedSkill(entry: Skill, link: ServerLink): ServedSkill {
  const { uri, frontmatter } = entry
  const root = uri.replace(/SKILL\.md$/, '')
  const read = async (ref?: string) => {
    const reader = await skillsOf(await link.client())
    return reader.read(entry, ref, { timeout: CONNECT_MS }).catch(error => {
      throw serverFault(link.options.server, error, frontmatter.name)
    })
  }
  const listed = Array.isArray(entry.resources) ? entry.resources : []
  const list = listed.flatMap(({ uri: file, size, digest }) =>
    file.startsWith(root) && file !== uri
      ? [{ path: decodeURIComponent(file.slice(root.length)), size, sha256: digest.replace(/^sha256:/, '') }]
      : [],
  )
  return {
    // Skills of one name differ in the path before it: `skill://acme/deploy/SKILL.md`.
    name: root.replace(/^[a-z]+:\/\//, '').replace(/\/$/, ''),
    description: frontmatter.description,
    entry,
    skill: {
      content: async () => (await read()).body ?? '',
      files: { list, read: async path => (await read(root + encodePath(path))).bytes },
    },
  }
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
