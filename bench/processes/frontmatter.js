import { load } from 'js-yaml'

/** A skill's frontmatter, read by js-yaml; null where that is no YAML. */
export function frontmatter(text) {
  const end = text.indexOf('\n---', 3)
  try {
    return load(text.slice(4, end))
  } catch {
    return null
  }
}
