import { isStringArray } from '../base/json.js'
import type { Kind } from '../base/options.js'

export const DATA: Kind = ['JSON data', value => !/function|symbol|bigint/.test(typeof value)]

export const PATTERNS: Kind = ['a string or an array of strings', value => isStringArray([value].flat())]
