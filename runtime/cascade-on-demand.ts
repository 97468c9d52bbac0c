/** What is imported where a cascade has to be resolved at run time: one file, so that it is loaded at once. */
export { explain } from './explain.js'
export { isReachedByNobody } from './promotions.js'
export { resolveCascade } from './resolve-cascade.js'
