import { hash } from 'node:crypto'
import { orNull } from '../../../src/base/attempt.js'
import type { JsonObject } from '../../../src/base/json.js'
import { INDEX_DIRECTORY, type ValidatorRecord } from '../../../src/index/index-format.js'
import { checkSchema } from '../../../src/schema/check-schema.js'
import { configured, factoryText, withoutNames } from '../../../src/schema/compile-schema.js'
import { MODULE_MARK } from '../../esbuild/module-source.js'
import { type CompileCache, isAsMade } from '../../records/compile-cache.js'
import type { SkillUnit } from '../../records/skill-unit.js'

interface Validators {
  /** The files that schemas were compiled to, relative to the directory, by digest of the schema. */
  files: Map<string, string>
  /** New files to write. */
  outputs: Map<string, Uint8Array>
}

/**
 * Compiles the schemas of the units' tools, each once however many tools have it, and names the files in
 * their records. The runtime interprets a schema that cannot be compiled, with equal results.
 *
 * @param known the files on disk that earlier compiles made
 */
export async function compileValidators(
  units: readonly SkillUnit[],
  known: ReadonlyMap<string, string>,
): Promise<Validators> {
  const made = new Map<string, string | null>(known)
  const outputs = new Map<string, Uint8Array>()
  const used = new Set<string>()
  for (const tool of units.flatMap(({ tools }) => tools)) {
    if (tool.fresh) {
      const { record } = tool.fresh
      const validators: ValidatorRecord = {}
      for (const part of ['params', 'returns'] as const) {
        const schema = record.frontmatter[part]
        const file = schema && (await fileOf(schema))
        if (file) validators[part] = file
      }
      tool.validators = Object.values(validators)
      if (tool.validators.length > 0) record.validators = validators
    }
    for (const file of tool.validators ?? []) used.add(file)
  }
  const files = [...made].filter((entry): entry is [string, string] => used.has(entry[1] ?? ''))
  return { files: new Map(files), outputs }

  async function fileOf(schema: JsonObject): Promise<string | null> {
    const digest = hash('sha256', JSON.stringify(schema)).slice(0, 32)
    const before = made.get(digest)
    if (before !== undefined) return before
    const text = await compileSchema(schema)
    const file = text === null ? null : fileFor(text)
    if (file !== null && text !== null) outputs.set(file, Buffer.from(`${MODULE_MARK}\n${text}`))
    made.set(digest, file)
    return file
  }
}

/** The schemas that earlier compiles compiled, without those whose files are gone or changed. */
export function soundValidators(directory: string, cache: CompileCache | null): Map<string, string> {
  return new Map([...(cache?.validators ?? [])].filter(([, file]) => isAsMade(directory, file, cache)))
}

/** A file name of the form that modules made by esbuild have. */
function fileFor(text: string): string {
  const number = BigInt(`0x${hash('sha256', text).slice(0, 16)}`)
  return `${INDEX_DIRECTORY}/module-${number.toString(36).toUpperCase().padStart(8, '0').slice(-8)}.mjs`
}

/** The code that Ajv makes of a schema; null for a schema that it cannot compile. */
async function compileSchema(schema: JsonObject): Promise<string | null> {
  const checked = checkSchema(schema)
  if ('problem' in checked || !checked.isCompilable) return null
  const { default: standalone } = (await import('ajv/dist/standalone/index.js')).default
  // Each schema gets its own instance: Ajv numbers its names, and equal schemas must give equal code.
  const ajv = configured(
    checked.dialect === 'draft-07' ? (await import('ajv')).Ajv : (await import('ajv/dist/2020.js')).Ajv2020,
  )
  return orNull(() => factoryText(standalone(ajv, ajv.compile(withoutNames(schema)))))
}
