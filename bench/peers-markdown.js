import { machine } from './machine.js'

/** The section of docs/comparison.md that the figures make. */
export function peersMarkdown(results, subjects, verdicts, runs) {
  const sizes = [...results.keys()]
  const date = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
  const rows = subjects.map(({ name, version, kind, does }) => [
    kind === 'build' ? `*builds:* ${name}` : name,
    version ?? '',
    ...sizes.map(size => cell(results.get(size).get(name), size)),
    does,
  ])
  const table = [
    ['', 'version', ...sizes.map(size => size.toLocaleString('en')), 'does'],
    ['---', '---', ...sizes.map(() => '---:'), '---'],
    ...rows,
  ]
  return [
    `${date}, ${machine()}; ${runs === 1 ? 'one run' : `medians of ${runs} runs`}. Milliseconds of a whole process (most memory, MB).`,
    '',
    ...table.map(cells => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |')),
    '',
    'The peer that takes least ÷ ours; starts without an empty process:',
    '',
    ...verdicts.map(verdict),
  ].join('\n')
}

function cell(measured, size) {
  if (!measured) return '–'
  const { failure, time, peak, seen } = measured
  if (failure) return `failed: ${failure.replaceAll('|', '\\|')}`
  const isFewer = seen !== undefined && seen !== size
  return `${Math.round(time).toLocaleString('en')} (${Math.round(peak)})${isFewer ? `, saw ${seen}` : ''}`
}

function verdict({ what, value, note, goal }) {
  const held = goal ? `; ${goal.text}: ${goal.met ? 'OK' : 'MISSED'}` : ''
  return `- ${what}: ${value}${note ? ` (${note})` : ''}${held}`
}
