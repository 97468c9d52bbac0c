import { directiveReferences } from '../../../src/content/content-references.js'
import { inOrder } from '../../../src/skill/references.js'
import type { LinkedPart } from '../../project/project-part.js'
import type { LocatedContents } from './project-contents.js'

/** Adds the references in the directives of contents to the references of a project's tools. */
export function addDirectiveReferences(
  parts: readonly LinkedPart[],
  contents: readonly LocatedContents[],
): void {
  for (const [number, { records }] of contents.entries()) {
    for (const [name, record] of records) {
      const tool = parts[number]?.linked.names.get(name)?.tool
      if (tool && record)
        tool.references = inOrder([...tool.references, ...directiveReferences(record.parts)])
    }
  }
}
