import { link } from '../2-resolve/link/link.js'
import { checkTogether } from '../check/check-together.js'
import { fixFiles } from '../check/fix-files.js'
import { specVerdicts } from '../check/spec-verdicts.js'
import { drawGraph } from '../graph/draw-graph.js'
import {
  attachCode,
  bundleCode,
  compileSchemas,
  readChanged,
  renewRecords,
  walkDirectory,
} from './directory-stages.js'
import { embed, encode, write } from './emit-stages.js'
import { digestCascades, foldChanged, resolveChanged } from './project-stages.js'
import {
  checkCode,
  countCosts,
  foldAll,
  readAll,
  resolveAll,
  walkAll,
  walkEverywhere,
} from './read-stages.js'

/**
 * The pipelines of the commands. The stages of `directory` run for one directory after another, those of
 * `project` for all together. The pipeline that reads a directory for the runtime is `DISK` in
 * compiler/disk/disk.ts: a runtime loads it without these.
 */

/** Compiles a project. Results of the last compile are kept where they are still valid. */
export const COMPILE = {
  directory: [
    walkDirectory,
    readChanged,
    bundleCode,
    renewRecords,
    attachCode,
    compileSchemas,
    countCosts,
    link,
  ],
  project: [digestCascades, resolveChanged, foldChanged],
  /** For one directory after the other. */
  emit: [embed, encode, write],
} as const

/** Finds every fault of a project, without running its code. */
export const CHECK = {
  directory: [walkEverywhere, fixFiles, readAll, specVerdicts, checkCode, countCosts, link],
  project: [resolveAll, foldAll, checkTogether],
} as const

/** Finds the references of a project's tools. */
export const GRAPH = {
  directory: [walkAll, readAll, link],
  project: [foldAll, drawGraph],
} as const
