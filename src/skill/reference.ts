import { isName, isToolName } from './names.js'

/** The meaning of a tool reference. */
export type Reference =
  /** Nothing: the empty string. */
  | { kind: 'none' }
  /** A name, bare or qualified (`acme:deploy`), searched over the path entries. */
  | { kind: 'name'; name: string }
  /** A path or a `file://` URI, loaded directly; `fragment` picks one of several tools in the file. */
  | { kind: 'path'; path: string; fragment?: string }
  | { kind: 'file-url'; url: string; fragment?: string }
  /** `layer://<layer>/<name>`: the tool of that name in that layer, even if it is shadowed. */
  | { kind: 'layer'; layer: string; name: string }
  /** Any other URI: known only if a tool was registered for it. */
  | { kind: 'uri'; scheme: string; uri: string }

/**
 * Parses a tool reference. A string that is neither a URI nor a name is a path; a path that begins like a
 * qualified name is written with `./`.
 *
 * `word-count` and `acme:deploy` → names; `./tools.skill.md#sum` → a path with a fragment; `layer://global/review` → a layer.
 */
export function parseReference(text: string): Reference {
  if (text === '') return { kind: 'none' }
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase()
  if (scheme === 'file') return { kind: 'file-url', ...splitFragment(text, 'url') }
  if (scheme === 'layer') {
    const [layer = '', name = '', ...rest] = text.slice('layer://'.length).split('/')
    return rest.length === 0 && isName(name) ? { kind: 'layer', layer, name } : { kind: 'none' }
  }
  if (scheme !== undefined) return { kind: 'uri', scheme, uri: text }
  if (isName(text)) return { kind: 'name', name: text }
  return { kind: 'path', ...splitFragment(text, 'path') }
}

/** Splits `#name` off the end; a `#` before anything but a tool's name is part of the path. */
function splitFragment<Key extends string>(
  text: string,
  key: Key,
): Record<Key, string> & { fragment?: string } {
  const hash = text.lastIndexOf('#')
  const fragment = text.slice(hash + 1)
  if (hash < 1 || !isToolName(fragment)) return { [key]: text } as Record<Key, string>
  return { [key]: text.slice(0, hash), fragment } as Record<Key, string> & { fragment: string }
}
