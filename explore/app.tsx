import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { linkTo, route } from './data/route.js'
import { following } from './data/server.js'
import { type Rows, rowsBlock } from './data/store.js'
import { Loaded, Notice } from './parts/loading.js'
import { grouped } from './parts/text.js'
import { AskView } from './views/ask.js'
import { GraphView } from './views/graph.js'
import { PolicyView } from './views/policy.js'
import { ProblemsView } from './views/problems.js'
import { PromptView } from './views/prompt.js'
import { SkillView } from './views/skill.js'
import { SkillsView } from './views/skills.js'

interface View {
  /** Its name in the address. */
  path: string
  label: string
  show: (rows: Rows) => JSX.Element
  /** The number beside its name. */
  count?: (rows: Rows) => number
}

const VIEWS: readonly View[] = [
  {
    path: 'skills',
    label: 'Skills',
    show: rows => <SkillsView rows={rows} />,
    count: ({ rows }) => rows.length,
  },
  {
    path: 'problems',
    label: 'Problems',
    show: rows => <ProblemsView rows={rows} />,
    count: ({ problems: { error, warning } }) => error + warning,
  },
  { path: 'prompt', label: 'Prompt', show: () => <PromptView /> },
  { path: 'ask', label: 'Ask', show: rows => <AskView rows={rows} /> },
  { path: 'graph', label: 'Graph', show: rows => <GraphView rows={rows} /> },
  { path: 'policy', label: 'Policy', show: rows => <PolicyView rows={rows} /> },
]
/** Views that have no place of their own among the others. */
const BELOW: Readonly<Record<string, { of: string; show: (rows: Rows) => JSX.Element }>> = {
  skill: { of: 'skills', show: rows => <SkillView rows={rows} /> },
}

export function App(): JSX.Element {
  const { view, name } = route.value
  const rows = rowsBlock()
  const shown = VIEWS.find(({ path }) => path === (BELOW[view]?.of ?? view))
  useEffect(() => {
    document.title = [name || shown?.label, 'Explore'].filter(Boolean).join(' · ')
  }, [name, shown])
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={linkTo('skills')}>
          <span class="mark" aria-hidden="true" />
          Explore
        </a>
        <nav aria-label="Views">
          {VIEWS.map(({ path, label, count }) => (
            <a key={path} href={linkTo(path)} aria-current={path === shown?.path ? 'page' : undefined}>
              {label}
              {rows.value && count && <span class="count">{grouped(count(rows.value))}</span>}
            </a>
          ))}
        </nav>
        <Following />
      </header>
      <main id="main" tabIndex={-1}>
        <Loaded from={rows}>{read => (BELOW[view] ?? shown)?.show(read) ?? <Unknown />}</Loaded>
      </main>
    </>
  )
}

/** Says if the page is as new as the files. */
function Following(): JSX.Element | null {
  if (following.value === null) return null
  return (
    <p class={`following ${following.value}`} role="status">
      {following.value === 'follows' ? 'Follows changes' : 'The command has ended'}
    </p>
  )
}

/** Moves the focus. Following the link would leave the state that the address has. */
function toMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function Unknown(): JSX.Element {
  return (
    <Notice title="There is no such view">
      The address may be from another version of this page. <a href={linkTo('skills')}>Show the skills</a>
    </Notice>
  )
}
