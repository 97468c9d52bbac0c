import { installInto } from './code-project.js'
import type { Tree } from './tree.js'

/** Where skills that `notingSkill` writes note what is called of them. */
const notes = globalThis as unknown as { notesOfSkills?: string[] }

/** What the skills noted, from here on. */
export function newNotes(): string[] {
  notes.notesOfSkills = []
  return notes.notesOfSkills
}

/** A code skill with hooks that notes when each is called; `version` tells one of its codes from another. */
export function notingSkill(name: string, version = 1, more = ''): string {
  return `import { defineTool } from 'agent-apps'
const note = text => void globalThis.notesOfSkills.push(\`\${text} ${name} ${version}\`)
export default defineTool({
  name: '${name}',
  description: 'Notes what is called of ${name}.',
  init() { note('init'); return ${version} },
  dispose: () => note('dispose'),
  ${more}
  execute: async ({ wait }, { instance }) => {
    await globalThis.gatesOfSkills?.[wait]?.passed
    note('call')
    return instance
  },
  params: { type: 'object', properties: { wait: { type: 'string' } } },
})
`
}

/** A tree of a project where this package is installed. */
export function installed(tree: Tree): (cwd: string) => Tree {
  return cwd => {
    installInto(cwd)
    return tree
  }
}
