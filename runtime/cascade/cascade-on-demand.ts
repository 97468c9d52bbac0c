/** The code that resolves and explains cascades at run time, in one file so that it is loaded at once. */
export { configurationInvalid } from './configuration-invalid.js'
export { explain } from './explain.js'
export { isReachedByNobody } from './promotions.js'
export { resolveCascade } from './resolve-cascade.js'
