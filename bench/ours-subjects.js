import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkSubject, compileSubject } from './compile-subject.js'
import { generateSkills } from './generate-skills.js'
import { goals } from './goals.js'
import { run } from './measure.js'
import { removeIndex } from './remove-index.js'
import { SETTLE } from './tree.js'

/** Runs in a round of what takes about as long as an empty process. */
const SHORT = 3

/** The measured processes of a tree without a peer: an empty one, floors, and ours. */
export async function oursSubjects(tree) {
  return [...floors(tree), ...(await ours(tree))]
}

function floors({ skills, index, name }) {
  return [
    {
      name: 'empty Node process',
      script: 'empty.js',
      repeats: SHORT,
      most: Number.POSITIVE_INFINITY,
      does: '',
    },
    {
      name: '`floor-index`',
      script: 'floor-index.js',
      args: [index, skills, name],
      does: 'JSON index, Map, one file',
    },
    {
      name: '`floor-scan`',
      script: 'floor-scan.js',
      args: [skills],
      does: 'read all, one regular expression',
    },
    {
      name: '`floor-scan-yaml`',
      script: 'floor-scan-yaml.js',
      args: [skills],
      does: 'read all, js-yaml',
    },
  ]
}

/** The index is in a second copy of the files: the peers, and ours without an index, read one that has none. Larger trees they do not read. */
async function ours({ count, folder, skills, name }) {
  const compiled = count <= goals.size ? join(folder, 'compiled') : skills
  if (compiled !== skills) generateSkills(compiled, count)
  await sleep(SETTLE)
  run('compile.js', [compiled])
  const compile = compileSubject([compiled])
  return [
    {
      name: 'agent-apps, from an index: one loaded',
      script: 'load-one.js',
      args: [compiled, name],
      repeats: SHORT,
      most: Number.POSITIVE_INFINITY,
      does: 'header, one shard, one file',
    },
    {
      name: 'agent-apps, from an index: all listed, one loaded',
      script: 'list-and-load.js',
      args: [compiled, name, 'index'],
      repeats: SHORT,
      most: Number.POSITIVE_INFINITY,
      does: 'index, one file',
    },
    {
      name: 'agent-apps, from disk without an index',
      script: 'list-and-load.js',
      args: [skills, name, 'disk'],
      does: 'frontmatter, rules, contents and what they refer to',
    },
    {
      ...checkSubject(skills),
      name: 'agent-apps check',
      does: 'all rules, contents and what they refer to',
    },
    {
      ...compile,
      name: 'agent-apps compile, nothing there',
      kind: 'build',
      prepare: () => removeIndex(compiled),
      does: 'the same, digests, index written',
    },
    {
      ...compile,
      name: 'agent-apps compile, nothing changed',
      kind: 'build',
      does: 'walk, times compared',
    },
  ]
}
