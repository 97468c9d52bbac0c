import { ToolResolver } from '../../project/tool-resolver.js'
import { filesOf, type SearchedIndex } from './bundle-directory.js'

/** A name that a compiled directory has. */
export interface NamedRecord {
  name: string
  directory: SearchedIndex
}

/**
 * * Finds what the references of compiled directories lead to. A path without a fragment means the first tool
 * of its file, whether or not a bundle keeps that.
 */
export function bundledResolver(directories: readonly SearchedIndex[]): ToolResolver<NamedRecord> {
  return new ToolResolver(
    directories.map(directory => ({
      dir: directory.dir,
      layer: directory.layer,
      named: name => (directory.tools.has(name) ? { name, directory } : null),
      inFiles: () =>
        [...filesOf(directory)].flatMap(([file, { tools }]) =>
          tools.map((name): [string, NamedRecord] => [file, { name, directory }]),
        ),
    })),
  )
}
