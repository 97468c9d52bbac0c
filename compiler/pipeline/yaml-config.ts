import type { JsonObject } from '../../src/base/json.js'
import { readYaml } from '../1-read/frontmatter/yaml.js'
import { toDiagnostic } from '../diagnostics/diagnostics.js'
import { placeAt } from '../diagnostics/source-text.js'
import { readRegularFile } from '../files/regular-file.js'
import { configInvalid } from './config-invalid.js'

/** More than a configuration has, and less than keeps a parser busy. */
const BYTES_MAX = 64 * 1024

/**
 * Reads a configuration in YAML, by the rules of frontmatter: nothing in it is code, and no alias makes a short
 * text a huge value.
 *
 * @throws CONFIG_INVALID
 */
export function readYamlConfig(file: string): JsonObject {
  const bytes = readRegularFile(file)
  if (bytes.length > BYTES_MAX) throw configInvalid(file, `is longer than ${BYTES_MAX} bytes`)
  // A document may begin with a line of three dashes.
  const text = bytes.toString().replace(/^\uFEFF?---[ \t]*(?=\r?\n)/, '')
  const { value, problem } = readYaml(text)
  if (!problem) return value
  const position = placeAt(text, problem.offset)
  const { reason } = toDiagnostic(file, {
    rule: problem.rule,
    place: position,
    found: problem.found,
  })
  throw configInvalid(file, `is not usable YAML: ${reason}`, { position })
}
