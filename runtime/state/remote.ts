import type { SearchFile } from '../../src/search/search-file.js'
import type { ToolDef } from './tool-def.js'

/** The skills of a runtime's remote path entries. They are searched after all others. */
export interface RemoteSkills {
  /**
   * Finds a tool by its name.
   *
   * @throws REMOTE_UNAVAILABLE, REMOTE_MISSING, REMOTE_TOO_LARGE, REMOTE_FORMAT, INTEGRITY_FAILED: a fault of an entry
   *   never makes a name unknown
   */
  find: (name: string) => Promise<ToolDef | null>
  /**
   * Lists the tools in the order of entries and names. An entry that cannot be listed is left out, with a diagnostic.
   *
   * @param isOnly true if there are no other path entries: then a fault of the only remote one is thrown
   */
  list: (isOnly?: boolean) => Promise<ToolDef[]>
  /** The words of each entry. */
  searches: () => Promise<readonly RemoteSearch[]>
}

/** The words of a remote entry. */
export interface RemoteSearch {
  /** Does work that reads the search file; null where that cannot be read, with a diagnostic. */
  ask: <Answer>(work: (file: SearchFile) => Promise<Answer>) => Promise<Answer | null>
  /** The tools of all rows of the search file, if they were listed; null before, and for more than lists show. */
  listed: () => readonly ToolDef[] | null
  /** Finds the tool of a row of the search file; null where that cannot be read, with a diagnostic. */
  tool: (row: number) => Promise<ToolDef | null>
}
