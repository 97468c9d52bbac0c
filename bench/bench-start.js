import { cpSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { goals } from './goals.js'
import { medians, run } from './measure.js'
import { options } from './options.js'
import { atMost, heading, ms, row, times } from './table.js'
import { tree } from './tree.js'

/** A fresh process to one loaded skill, at every size. */
export async function benchStart() {
  heading('start to one loaded skill')
  const sizes = options.startSizes
  const subjects = { empty: { script: 'empty.js' } }
  for (const size of sizes) {
    const { skills, name } = await tree(size)
    run('compile.js', [skills])
    subjects[size] = { script: 'load-one.js', args: [skills, name] }
  }
  const measured = await medians(subjects, options.shortRuns)
  row('empty Node process', ms(measured.empty))
  for (const size of sizes) {
    const ratio = measured[size] / measured[sizes[0]]
    row(
      `${size.toLocaleString('en')} skills`,
      ms(measured[size]),
      { net: ms(measured[size] - measured.empty), note: times(ratio, `that at ${sizes[0]}`) },
      size === goals.startSize ? atMost(ratio, goals.start) : null,
    )
  }
  await benchNamespace()
  await benchDevelopment()
  await benchBundled()
}

/** Starts to one skill by its qualified and its bare name, against a plain name in an index without namespaces. */
async function benchNamespace() {
  const size = options.mainSize
  heading(`start to one loaded skill of a namespace, ${size.toLocaleString('en')} skills`)
  const { folder, skills, name } = await tree(size)
  const named = join(folder, 'named')
  cpSync(skills, named, { recursive: true, filter: file => !basename(file).startsWith('.agent-apps') })
  run('compile.js', [skills])
  run('compile.js', [named, 'namespace=acme'])
  const script = 'load-one.js'
  const measured = await medians(
    {
      empty: { script: 'empty.js' },
      plain: { script, args: [skills, name] },
      qualified: { script, args: [named, `acme:${name}`, 'acme'] },
      bare: { script, args: [named, name, 'acme'] },
    },
    options.shortRuns,
  )
  const { empty, plain } = measured
  const net = value => ms(value - empty)
  row('without a namespace', ms(plain), { net: net(plain) })
  for (const way of ['qualified', 'bare']) {
    const ratio = measured[way] / plain
    const note = times(ratio, 'without')
    row(
      `by its ${way} name`,
      ms(measured[way]),
      { net: net(measured[way]), note },
      atMost(ratio, goals.namespace),
    )
  }
}

/** The first name in development, where one directory is not compiled and the next one is; the library is searched after both. */
async function benchDevelopment() {
  const [few, many] = options.developmentSizes
  heading(`development: start to the first name, ${few} skills not compiled before ${many} compiled`)
  const fresh = await tree(few)
  const compiled = await tree(many)
  run('compile.js', [compiled.skills])
  const script = 'find-in-development.js'
  const args = {
    alone: [fresh.name, fresh.skills],
    first: [fresh.name, fresh.skills, compiled.skills],
    second: [compiled.name, fresh.skills, compiled.skills],
    found: [compiled.name, compiled.skills],
    missing: ['no-such-skill', compiled.skills],
  }
  const subjects = Object.entries(args).map(([subject, args]) => [subject, { script, args }])
  const measured = await medians(
    { empty: { script: 'empty.js' }, ...Object.fromEntries(subjects) },
    options.shortRuns,
  )
  const figure = (what, subject, note = '', goal = null) => {
    const opened = `${Number(run(script, ['--count', ...args[subject]]))} files opened`
    const net = ms(measured[subject] - measured.empty)
    row(what, ms(measured[subject]), { net, note: note === '' ? opened : `${opened}, ${note}` }, goal)
  }
  const ratio = measured.first / measured.alone
  figure('the directory that is not compiled, alone', 'alone')
  figure(
    'its name, the compiled one after it',
    'first',
    times(ratio, 'alone'),
    atMost(ratio, goals.development),
  )
  figure('a name of the compiled one', 'second')
  figure('the compiled one alone, one of its names', 'found')
  figure('the compiled one alone, a name that it lacks', 'missing')
}

/** Starting with the skills and the runtime in one bundle. */
async function benchBundled() {
  const sizes = options.compileSizes
  heading('start of a bundle to one loaded skill')
  const subjects = { empty: { script: 'empty.js' } }
  const entries = new Map()
  for (const size of sizes) {
    const { skills, name, folder } = await tree(size)
    const entry = join(folder, 'bundle/agent.mjs')
    run('compile-bundle.js', [skills, entry])
    entries.set(size, entry)
    subjects[size] = { script: 'load-bundled.js', args: [entry, name] }
  }
  const measured = await medians(subjects, options.shortRuns)
  for (const size of sizes) {
    row(`${size.toLocaleString('en')} skills`, ms(measured[size]), {
      net: ms(measured[size] - measured.empty),
      note: `${Math.round(statSync(entries.get(size)).size / 1024).toLocaleString('en')} kB of entry`,
    })
  }
}
