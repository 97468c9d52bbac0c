import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js'
import { editDistance } from '../base/nearest.js'
import {
  extractFrontmatter,
  type FrontmatterContext,
  ROLES,
  type Role,
  type ToolFrontmatter,
} from './frontmatter.js'

/** Interprets a file's frontmatter, and adds the role that an unknown one probably means. */
export function readFrontmatter(verbatim: JsonObject, context: FrontmatterContext): ToolFrontmatter {
  const frontmatter = extractFrontmatter(verbatim, context)
  const meant = isJsonObject(verbatim.metadata) ? roleMeant(verbatim.metadata.role) : null
  return meant ? { ...frontmatter, roleMeant: meant } : frontmatter
}

/** Returns the role that an unknown one probably means: a third of its letters may be wrong. */
export function roleMeant(role: JsonValue | undefined): Role | null {
  if (role === undefined || ROLES.some(known => known === role)) return null
  const written = String(role).trim().toLowerCase().slice(0, 40)
  const isNear = (known: Role): boolean => {
    const most = Math.floor(known.length / 3)
    return editDistance(written, known, most) <= most
  }
  return ROLES.find(isNear) ?? null
}
