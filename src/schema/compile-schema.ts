import type { JsonObject } from '../json.js'
import { equal, textLength } from './equal.js'
import type { Dialect } from './keywords.js'
import { linearPattern, PatternWork } from './linear-pattern.js'

/** Says whether a value is as its schema wants it; what is wrong with it is the interpreter's to say. */
export type Validate = (value: unknown) => boolean

/**
 * What code that Ajv makes asks for. It is handed to it instead of imported, so that a compiled schema is one small
 * file that needs no package and nothing beside it.
 */
const HELPERS: Readonly<Record<string, (work: PatternWork) => unknown>> = {
  'ajv/dist/runtime/equal': () => equal,
  'ajv/dist/runtime/ucs2length': () => textLength,
  'agent-apps/pattern': work => (source: string) => linearPattern(source, work),
}

/** What a compiled schema's module exports as default. */
export type ValidatorFactory = (require: (name: string) => { default: unknown }) => Validate

/** Makes a compiled schema usable. Throws where it asks for what this version has not. */
export function fromFactory(factory: ValidatorFactory): Validate {
  const work = new PatternWork()
  const validate = factory(name => {
    const helper = Object.hasOwn(HELPERS, name) ? HELPERS[name] : undefined
    if (helper === undefined) throw new Error(`a compiled schema asks for ${name}`)
    return { default: helper(work) }
  })
  return renewing(work, validate)
}

/** With all the work for each value. */
export function renewing(work: PatternWork, validate: Validate): Validate {
  return value => {
    work.renew()
    return validate(value)
  }
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
    regExp: patternsOf(),
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

/** An Ajv that is used so, of whatever dialect's class. Its patterns share the work that they may do. */
export function configured<Ajv extends { addKeyword: (keyword: string) => unknown }>(
  Class: new (options: typeof AJV_OPTIONS) => Ajv,
  work?: PatternWork,
): Ajv {
  const ajv = new Class({ ...AJV_OPTIONS, code: { ...AJV_OPTIONS.code, regExp: patternsOf(work) } })
  // It says where another schema is found, and nothing of a value.
  ajv.addKeyword('$resolve')
  return ajv
}

/** How Ajv makes patterns, which it tells apart by their text. */
function patternsOf(work?: PatternWork) {
  const make = (source: string) =>
    ({ ...linearPattern(source, work), toString: () => source }) as { test: (text: string) => boolean }
  return Object.assign(make, { code: 'require("agent-apps/pattern").default' })
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
