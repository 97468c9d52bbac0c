import type { JsonObject } from '../json.js'
import { equal, textLength } from './equal.js'
import type { Dialect } from './keywords.js'
import { linearPattern } from './linear-pattern.js'

/** Says whether a value is as its schema wants it; what is wrong with it is the interpreter's to say. */
export type Validate = (value: unknown) => boolean

/**
 * What code that Ajv makes asks for. It is handed to it instead of imported, so that a compiled schema is one small
 * file that needs no package and nothing beside it.
 */
const HELPERS: Readonly<Record<string, { default: unknown }>> = {
  'ajv/dist/runtime/equal': { default: equal },
  'ajv/dist/runtime/ucs2length': { default: textLength },
  'agent-apps/pattern': { default: linearPattern },
}

/** What a compiled schema's module exports as default. */
export type ValidatorFactory = (require: (name: string) => { default: unknown }) => Validate

/** Makes a compiled schema usable. Throws where it asks for what this version has not. */
export function fromFactory(factory: ValidatorFactory): Validate {
  return factory(name => {
    const helper = Object.hasOwn(HELPERS, name) ? HELPERS[name] : undefined
    if (helper === undefined) throw new Error(`a compiled schema asks for ${name}`)
    return helper
  })
}

/** The text of a module for code that Ajv made of a schema; null where that code needs more than there is. */
export function factoryText(code: string): string | null {
  const asked = [...code.matchAll(/\brequire\("([^"]*)"\)/g)].map(([, name = '']) => name)
  if (!asked.every(name => Object.hasOwn(HELPERS, name))) return null
  return `export default require => { const module = {}; let exports; ${code}\nreturn module.exports }\n`
}

/**
 * How Ajv is used, when compiling and at run time alike. Schemas were checked before, by rules that depend on no
 * host; defaults are applied beforehand too. It only decides, so that it stops at the first fault.
 */
export const AJV_OPTIONS = {
  addUsedSchema: false,
  code: {
    // It takes longer than all the rest, and changes little.
    optimize: false,
    regExp: Object.assign(pattern, { code: 'require("agent-apps/pattern").default' }),
    source: true,
  },
  // Written out where it is used, a small schema can become a large one.
  inlineRefs: false,
  logger: false as const,
  messages: false,
  meta: false,
  ownProperties: true,
  strict: false,
  strictNumbers: true,
  validateFormats: false,
  validateSchema: false,
} as const

/** An Ajv that is used so, of whatever dialect's class. */
export function configured<Ajv extends { addKeyword: (keyword: string) => unknown }>(
  Class: new (options: typeof AJV_OPTIONS) => Ajv,
): Ajv {
  const ajv = new Class(AJV_OPTIONS)
  // It says where another schema is found, and nothing of a value.
  ajv.addKeyword('$resolve')
  return ajv
}

/** Ajv tells patterns apart by their text. */
function pattern(source: string): { test: (text: string) => boolean } {
  return { ...linearPattern(source), toString: () => source } as { test: (text: string) => boolean }
}

/** The module of Ajv for a dialect. */
export const AJV_MODULES: Readonly<Record<Dialect, string>> = {
  '2020-12': 'ajv/dist/2020.js',
  'draft-07': 'ajv/dist/ajv.js',
}

/** A schema as Ajv is given it: which dialect it is in was decided before. */
export function withoutNames(schema: JsonObject): JsonObject {
  const { $schema: _dialect, $id: _id, ...rest } = schema
  return rest
}
