/** What is imported where a cascade has to be resolved at run time, or told of: one file, so that it is loaded at once. */
export { configurationInvalid } from './configuration-invalid.js'
export { explain } from './explain.js'
export { isReachedByNobody } from './promotions.js'
export { resolveCascade } from './resolve-cascade.js'
