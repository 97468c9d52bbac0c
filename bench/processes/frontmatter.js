import { load } from 'js-yaml'

/** A skill's frontmatter, read by js-yaml; null if it is not YAML. */
export function frontmatter(text) {
  const end = text.indexOf('\n---', 3)
  try {
    return load(text.slice(4, end))
  } catch {
    return null
  }
}
