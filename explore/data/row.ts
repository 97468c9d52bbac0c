import type { SkillRow } from '../../cli/explore/page-data.js'

/** A row of the table, with what it is looked up by. */
export interface Row extends SkillRow {
  /** Its number among all. */
  number: number
  /** Its name in the addresses of the page. */
  id: string
  /** Its words in lower case, in which a search looks. */
  words: string
}
