import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { AgentAppsError, type Globals, iterPaths, type PathEntry, type WorkspaceOptions } from 'agent-apps'
import { compileGlob, GlobProblem } from '../../src/patterns/glob.js'
import { matchGlob } from '../../src/patterns/match-glob.js'
import { looksSecret } from '../../src/skill/secrets.js'
import { type Place, within } from './place.js'

/** The files inside the wall that may not be read or written. */
export interface ProtectedFiles {
  /** The reason why a file may not be written; null if it may. */
  writing: (place: Place) => string | null
  /** The reason why a file may not be read or listed; null if it may. */
  reading: (place: Pick<Place, 'segments' | 'written'>) => string | null
}

/** @throws FILE_PROTECTED */
export function expectReadable({ reading }: ProtectedFiles, place: Place): void {
  refuse(place, 'read', reading(place))
}

/** @throws FILE_PROTECTED */
export function expectWritable({ writing }: ProtectedFiles, place: Place): void {
  refuse(place, 'written', writing(place))
}

function refuse({ path }: Place, what: string, why: string | null): void {
  if (why === null) return
  throw new AgentAppsError('FILE_PROTECTED', `${path} may not be ${what}: ${why}.`, {
    hint: 'Leave it to a person. The host can allow it by `read` and `write` of `workspace`.',
    file: path,
  })
}

/** The protected files of a runtime's workspace. */
export async function protectedFiles(
  options: WorkspaceOptions,
  root: string,
  globals: Globals,
  cwd: string,
): Promise<ProtectedFiles> {
  const mayRead = listed(options.read, 'read')
  const mayWrite = listed(options.write, 'write')
  const skills = options.skills ? [] : await realDirectories(globals.config.paths, cwd)
  const ways = ({ segments, written }: Pick<Place, 'segments' | 'written'>): (readonly string[])[] =>
    written === null ? [segments] : [segments, written]
  return {
    reading: place => {
      const isSecret = (way: readonly string[]): boolean =>
        way.some((_, at) => looksSecret([root, ...way.slice(0, at + 1)].join('/')))
      return ways(place).some(isSecret) && !mayRead(place.segments)
        ? 'it looks like a file with secrets'
        : null
    },
    writing: place => {
      if (mayWrite(place.segments)) return null
      for (const way of ways(place)) {
        const found = controlFile(way)
        if (found !== null) return found
      }
      if (options.skills) return null
      const entry = skills.find(directory => within(directory, place.real) !== null)
      if (entry === undefined) return null
      // A path entry around the workspace would protect all of it; then only skills are protected.
      return within(entry, root) === null || belongsToSkill(place, root)
        ? 'skills may not be written, since they are tools'
        : null
    },
  }
}

/** A test for paths that the host's globs match, from a folder of the workspace. */
function listed(globs: readonly string[] | undefined, key: string): (segments: readonly string[]) => boolean {
  const programs = (globs ?? []).map(glob => {
    try {
      return compileGlob(glob)
    } catch (error) {
      if (!(error instanceof GlobProblem)) throw error
      throw new AgentAppsError(
        'OPTIONS_INVALID',
        `The option \`${key}\` of \`workspace\` has a pattern that cannot be used: ${error.message}.`,
        { hint: `Correct ${JSON.stringify(glob)}.` },
      )
    }
  })
  return segments => programs.some(program => matchGlob(program, segments.join('/')))
}

async function realDirectories(paths: readonly PathEntry[], cwd: string): Promise<string[]> {
  const directories = [...iterPaths(paths)].map(({ dir }) => resolve(cwd, dir))
  return Promise.all(
    directories.map(async directory => (existsSync(directory) ? realpath(directory) : directory)),
  )
}

const SKILL_FILE = /^skill\.md$|\.skill\.(?:md|[cm]?[jt]s)$/

function belongsToSkill({ base, segments }: Place, root: string): boolean {
  if (SKILL_FILE.test(plain(segments.at(-1) ?? ''))) return true
  const folders = segments.slice(0, -1).map((_, at) => join(base, ...segments.slice(0, at + 1)))
  return folders.some(folder => folder !== root && existsSync(join(folder, 'SKILL.md')))
}

/**
 * Files that control what agents, editors and their hosts run, or an agent's initial instructions. Sources: the manuals of
 * these hosts.
 */
const HOST_FILES = [
  // modelcontextprotocol.io
  /(?:^|\/)\.?mcp\.json$/,
  // code.claude.com/docs: settings, hooks, agents, commands, skills, plugins, output styles
  /(?:^|\/)\.claude(?:-plugin)?\/.*$/,
  /(?:^|\/)\.claude\.json$/,
  // docs.github.com/copilot: custom agents, hooks
  /(?:^|\/)\.github\/(?:agents|chatmodes|hooks)\/.*$/,
  // Folders of one agent or editor each: cursor.com/docs, developers.openai.com/codex, geminicli.com/docs, opencode.ai/docs,
  // docs.windsurf.com, kiro.dev/docs, docs.roocode.com, docs.continue.dev, docs.aws.amazon.com/amazonq, junie.jetbrains.com,
  // agents.md, qwenlm.github.io/qwen-code-docs, docs.trae.ai, docs.cline.bot, zed.dev/docs, jetbrains.com/help/idea
  /(?:^|\/)\.(?:cursor|codex|gemini|opencode|windsurf|kiro|roo|continue|amazonq|junie|agents)\/.*$/,
  /(?:^|\/)\.(?:qwen|trae|clinerules|crush|zed|idea)\/.*$/,
  /(?:^|\/)\.(?:cursorrules|windsurfrules|clinerules|roomodes)$/,
  /(?:^|\/)opencode\.jsonc?$/,
  // github.com/charmbracelet/crush
  /(?:^|\/)\.?crush(?:\.json|rc)$/,
  // aider.chat/docs/config: commands for tests and linting, files of variables
  /(?:^|\/)\.aider\.(?:conf|model\.settings)\.yml$/,
  // code.visualstudio.com/docs: tasks, and workspaces with tasks of their own
  /(?:^|\/)\.vscode\/(?:tasks|settings|launch|mcp|extensions)\.json$/,
  /\.code-workspace$/,
  // containers.dev
  /(?:^|\/)\.devcontainer(?:\/.*|\.json)$/,
  // vimhelp.org/options.txt.html#'exrc', neovim.io/doc/user/options.html#'exrc'
  /(?:^|\/)(?:\.exrc|[._]vimrc|_exrc|\.nvimrc|\.nvim\.lua)$/,
  // typicode.github.io/husky: what Git runs
  /(?:^|\/)\.husky\/.*$/,
]

/** The reason why a path may never be written; null if it may. */
function controlFile(segments: readonly string[]): string | null {
  const names = segments.map(plain)
  if (names.some(name => name === '.git' || /^git~\d+$/.test(name))) return 'it belongs to the repository'
  if (names.some(name => name.startsWith('.agent-apps') || /^agent-apps\.config\./.test(name)))
    return 'it belongs to agent-apps'
  const way = names.join('/')
  return HOST_FILES.some(form => form.test(way)) ? 'it controls what agents or their hosts run' : null
}

/**
 * A name as file systems may compare it: without case, ignored characters, and the trailing dots and spaces that Windows
 * drops.
 */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/(?<=[^. ])[. ]+$/, '')
    .toLowerCase()
}
