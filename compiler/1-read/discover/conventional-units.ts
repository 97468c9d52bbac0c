import type { Dirent } from 'node:fs'
import { isBelow } from '../../../src/index/unit-around.js'
import { inside } from '../../records/walked.js'
import { isDirectory, peekDirectory } from '../walk/look.js'
import { isSkillFolder } from '../walk/skill-names.js'
import { addUnit, type Discovery } from './discovery.js'

/** The hosts that read skills from `.<host>/skills`, in search order. */
const HOSTS = [
  ...['agents', 'claude', 'github', 'codex', 'opencode', 'cursor', 'gemini'],
  ...['cline', 'codebuddy', 'commandcode', 'continue', 'factory', 'goose', 'grok', 'iflow', 'junie', 'kilo'],
  ...['kilocode', 'kimchi', 'kiro', 'minimax', 'mux', 'neovate', 'openhands', 'pi', 'posit/assistant'],
  ...['qoder', 'roo', 'trae', 'windsurf', 'zcode', 'zencoder'],
]

/** The directories of a repository in which skills lie by convention, in search order. */
export const CONVENTIONAL_DIRECTORIES: readonly string[] = ['skills', ...HOSTS.map(host => `.${host}/skills`)]

/** Those that `npx skills` does not know: it takes a repository with skills in these alone for one without a convention. */
const OURS = ['.cursor/skills', '.gemini/skills']

/** True for a path in a conventional directory that only this program knows. */
export function isOursAlone(path: string): boolean {
  return OURS.some(directory => isBelow(path, directory))
}

/** Adds the conventional directories of a repository, and the skills that lie in it as folders. */
export function discoverConventional(root: string, discovery: Discovery): void {
  for (const path of CONVENTIONAL_DIRECTORIES) {
    const [parent = ''] = path.split('/')
    if (isDirectory(inside(root, path))) {
      discovery.listed.add(path)
      addUnit(discovery, { path, places: [{ path, kind: 'tree' }] })
    } else if (parent !== path && isDirectory(inside(root, parent))) discovery.listed.add(parent)
  }
  if (isSkillFolder(root)) addUnit(discovery, { path: '', places: [{ path: '', kind: 'folder' }] })
  for (const { name } of peekDirectory(root).filter(isCandidate)) {
    if (!isSkillFolder(inside(root, name))) continue
    discovery.listed.add(name)
    addUnit(discovery, { path: name, places: [{ path: name, kind: 'folder' }] })
  }
}

function isCandidate(item: Dirent): boolean {
  const { name } = item
  return !name.startsWith('.') && name !== 'node_modules' && (item.isDirectory() || item.isSymbolicLink())
}
