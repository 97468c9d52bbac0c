import { directiveReferences } from '../src/content-references.js'
import { inOrder } from '../src/references.js'
import type { LinkedDirectory } from './linked-directory.js'
import type { LocatedContents } from './project-contents.js'

/** Adds to a directory's tools what the directives of their contents refer to. */
export function addDirectiveReferences({ names }: LinkedDirectory, { records }: LocatedContents): void {
  for (const [name, record] of records) {
    const tool = names.get(name)?.tool
    if (tool && record) tool.references = inOrder([...tool.references, ...directiveReferences(record.parts)])
  }
}
