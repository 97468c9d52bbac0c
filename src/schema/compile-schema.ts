import type { JsonObject } from '../base/json.js'
import { equal, textLength } from './equal.js'
import type { Dialect } from './keywords.js'
import { linearPattern, PatternWork } from './linear-pattern.js'

/** Returns whether a schema accepts a value. `interpretSchema` finds out why it does not. */
export type Validate = (value: unknown) => boolean

/** The modules that Ajv's code requires. They are passed in, so that a compiled schema imports nothing. */
const HELPERS: Readonly<Record<string, (work: PatternWork) => unknown>> = {
  'ajv/dist/runtime/equal': () => equal,
  'ajv/dist/runtime/ucs2length': () => textLength,
  'agent-apps/pattern': work => (source: string) => linearPattern(source, work),
}

/** The default export of a compiled schema's module. */
export type ValidatorFactory = (require: (name: string) => { default: unknown }) => Validate

/** Makes the function of a compiled schema. Throws if it requires a module that is not in HELPERS. */
export function fromFactory(factory: ValidatorFactory): Validate {
  const work = new PatternWork()
  const validate = factory(name => {
    const helper = Object.hasOwn(HELPERS, name) ? HELPERS[name] : undefined
    if (helper === undefined) throw new Error(`a compiled schema asks for ${name}`)
    return { default: helper(work) }
  })
  return renewing(work, validate)
}

/** Wraps a function so that its patterns may do all of their work again for each value. */
export function renewing(work: PatternWork, validate: Validate): Validate {
  return value => {
    work.renew()
    return validate(value)
  }
}

/** Makes a module of Ajv's code for a schema; null if that requires a module that is not in HELPERS. */
export function factoryText(code: string): string | null {
  const asked = [...code.matchAll(/\brequire\("([^"]*)"\)/g)].map(([, name = '']) => name)
  if (!asked.every(name => Object.hasOwn(HELPERS, name))) return null
  return `export default require => { const module = {}; let exports; ${code}\nreturn module.exports }\n`
}

/** The options of Ajv, at build and run time. It only accepts or refuses, so it stops at the first fault. */
export const AJV_OPTIONS = {
  addUsedSchema: false,
  code: {
    // Optimizing takes longer than all the rest, and gains little.
    optimize: false,
    regExp: patternsOf(),
    source: true,
  },
  // Inlining every reference can make a small schema large.
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

/** Creates an Ajv with these options from a dialect's class. Its patterns share `work`. */
export function configured<Ajv extends { addKeyword: (keyword: string) => unknown }>(
  Class: new (options: typeof AJV_OPTIONS) => Ajv,
  work?: PatternWork,
): Ajv {
  const ajv = new Class({ ...AJV_OPTIONS, code: { ...AJV_OPTIONS.code, regExp: patternsOf(work) } })
  // `$resolve` names a schema to use instead, and validates nothing.
  ajv.addKeyword('$resolve')
  return ajv
}

/** The function that makes patterns for Ajv, which identifies them by their `toString`. */
function patternsOf(work?: PatternWork) {
  const make = (source: string) =>
    ({ ...linearPattern(source, work), toString: () => source }) as { test: (text: string) => boolean }
  return Object.assign(make, { code: 'require("agent-apps/pattern").default' })
}

/** The module that exports Ajv's class for a dialect. */
export const AJV_MODULES: Readonly<Record<Dialect, string>> = {
  '2020-12': 'ajv/dist/2020.js',
  'draft-07': 'ajv/dist/ajv.js',
}

/** Removes the dialect and name of a schema for Ajv, whose class was chosen by the dialect. */
export function withoutNames(schema: JsonObject): JsonObject {
  const { $schema: _dialect, $id: _id, ...rest } = schema
  return rest
}
