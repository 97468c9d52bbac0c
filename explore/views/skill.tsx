import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import {
  type CascadeKey,
  type CascadeValue,
  type ChainStep,
  DETAILS_PER_BLOCK,
  detailsBlock,
  type PageGraph,
  type PageProblems,
  type Problem,
  type SkillDetails,
} from '../../cli/explore/page-data.js'
import { linkTo, route, setParams } from '../data/route.js'
import type { Row } from '../data/row.js'
import { block, type Rows } from '../data/store.js'
import { CommandForm, Json } from '../parts/command-form.js'
import { Loaded, Notice } from '../parts/loading.js'
import { Markdown } from '../parts/markdown.js'
import { Permissions } from '../parts/marks.js'
import { SkillLink } from '../parts/skill-link.js'
import { ProblemNote, Source } from '../parts/source.js'
import { counted, grouped, Heading, Text } from '../parts/text.js'
import { KINDS } from './skills.js'

/** One skill: its text, why it behaves as it does, and who uses it. */
export function SkillView({ rows }: { rows: Rows }): JSX.Element {
  const { name, params } = route.value
  const row = rows.byId.get(name) ?? rows.byId.get(`file:${name}`)
  if (!row)
    return (
      <Notice title={`There is no skill “${name}”`}>
        It may have been renamed or removed. <a href={linkTo('skills')}>Show all skills</a>
      </Notice>
    )
  const details = block<SkillDetails[]>(detailsBlock(row.number))
  const problems = block<PageProblems>('problems')
  const own = problems.value?.problems.filter(({ file }) => file === row.file) ?? []
  return (
    <article class="skill">
      <SkillHead row={row} />
      <Loaded from={details}>
        {read => {
          const skill = read[row.number % DETAILS_PER_BLOCK]
          return (
            skill && (
              <SkillBody row={row} rows={rows} skill={skill} problems={own} line={params.get('line')} />
            )
          )
        }}
      </Loaded>
    </article>
  )
}

function SkillHead({ row }: { row: Row }): JSX.Element {
  const { name, description, kind, role, layer, plugin, file, tokens, tags, hidden } = row
  const facts = [
    KINDS[kind] ?? kind,
    role,
    layer,
    plugin,
    tokens > 0 ? `${counted(tokens, 'token')} in a catalog` : null,
    hidden ? 'not shown to agents' : null,
  ]
  return (
    <header class="skill-head">
      <p class="crumbs">
        <a href={linkTo('skills')}>Skills</a>
        <span aria-hidden="true"> / </span>
        <code>
          <Text>{file}</Text>
        </code>
      </p>
      <h1>
        <Text>{name}</Text>
      </h1>
      {description !== '' && (
        <p class="lead">
          <Text>{description}</Text>
        </p>
      )}
      <ul class="facts">
        {facts.map(
          fact =>
            fact && (
              <li key={fact}>
                <Text>{fact}</Text>
              </li>
            ),
        )}
        {tags.map(tag => (
          <li key={tag} class="tag">
            <Text>{`#${tag}`}</Text>
          </li>
        ))}
        <li class="bare">
          <Permissions of={row} />
        </li>
      </ul>
    </header>
  )
}

const PANES = ['both', 'rendered', 'source'] as const

function SkillBody({
  row,
  rows,
  skill,
  problems,
  line,
}: {
  row: Row
  rows: Rows
  skill: SkillDetails
  problems: readonly Problem[]
  line: string | null | undefined
}): JSX.Element {
  const { source } = skill
  const wanted = route.value.params.get('pane') ?? (line ? 'source' : 'both')
  const pane = skill.content === null ? 'source' : (PANES.find(one => one === wanted) ?? 'both')
  useEffect(() => {
    if (line && /^\d+$/.test(line))
      document.getElementById(`line-${line}`)?.scrollIntoView({ block: 'center' })
  }, [line])
  return (
    <div class="skill-body">
      <section class="panes" aria-label="Text">
        {skill.content !== null && (
          <div class="switch" role="group" aria-label="Show">
            {PANES.map(one => (
              <button
                key={one}
                type="button"
                aria-pressed={one === pane}
                onClick={() => setParams({ pane: one })}
              >
                {one === 'both' ? 'Side by side' : one === 'rendered' ? 'Rendered' : 'Source'}
              </button>
            ))}
          </div>
        )}
        <div class={`pane-pair ${pane}`}>
          {pane !== 'source' && skill.content !== null && source !== null && (
            <Markdown text={source.slice(...skill.content)} />
          )}
          {pane !== 'rendered' && source !== null && <Source text={source} problems={problems} />}
          {source === null && (
            <Notice title="The text is not in this page">
              {rows.hasContent ? 'The file could not be read.' : 'The page was written with --no-content.'}
            </Notice>
          )}
        </div>
      </section>
      <aside class="about" aria-label="About this skill">
        {skill.faults.length > 0 && (
          <Part title="It does not run">
            {skill.faults.map(({ message, hint }) => (
              <p key={message} class="fault">
                <strong>
                  <Text>{message}</Text>
                </strong>{' '}
                <Text>{hint}</Text>
              </p>
            ))}
          </Part>
        )}
        {problems.length > 0 && (pane === 'rendered' || source === null) && (
          <Part title="Problems" count={problems.length}>
            {problems.map(one => (
              <ProblemNote key={`${one.line} ${one.column} ${one.rule} ${one.reason}`} problem={one} />
            ))}
          </Part>
        )}
        {KINDS[row.kind] === undefined && (
          <Part title="Call it">
            <CommandForm key={row.id} name={row.name} params={skill.params} />
          </Part>
        )}
        <Cascade keys={skill.cascade} />
        <Chain steps={skill.chain} peers={skill.peers} />
        <References row={row} rows={rows} />
        <Shadows skill={skill} />
        <Resources skill={skill} />
      </aside>
    </div>
  )
}

function Part({
  title,
  count,
  children,
}: {
  title: string
  count?: number
  children: ComponentChildren
}): JSX.Element {
  return (
    <section class="part">
      <Heading {...(count !== undefined && { count })}>{title}</Heading>
      {children}
    </section>
  )
}

/** The keys of its metadata, each with where its value comes from, and what it took the place of. */
function Cascade({ keys }: { keys: readonly CascadeKey[] }): JSX.Element | null {
  if (keys.length === 0) return null
  return (
    <Part title="Metadata" count={keys.length}>
      <dl class="cascade">
        {keys.map(({ key, overrides, ...value }) => (
          <div key={key}>
            <dt>
              <Text>{key}</Text>
            </dt>
            <dd>
              <Json value={value.value} />
              <Origin of={value} />
            </dd>
            {overrides.map(one => (
              <dd key={`${one.layer} ${one.tool} ${one.line}`} class="overridden">
                <Json value={one.value} />
                <Origin of={one} />
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </Part>
  )
}

function Origin({ of: { layer, tool, file, line } }: { of: CascadeValue }): JSX.Element {
  return (
    <span class="origin">
      {`${layer}, `}
      <a href={linkTo('skill', tool, { line: line === null ? '' : String(line) })}>
        <Text>{file === null ? tool : line === null ? file : `${file}:${line}`}</Text>
      </a>
    </span>
  )
}

/** The middleware around it, from the outside in. */
function Chain({
  steps,
  peers,
}: {
  steps: readonly ChainStep[]
  peers: readonly string[]
}): JSX.Element | null {
  if (steps.length + peers.length === 0) return null
  return (
    <Part title="Middleware" count={steps.length}>
      <ol class="chain">
        {steps.map(({ name, args, mode, hook, problem, file, line }, at) => (
          <li key={`${at} ${name}`}>
            <SkillLink name={name} /> <Json value={args} />
            <span class="origin">
              <Text>
                {[
                  mode,
                  ...hook,
                  ...(file === null ? [] : [`${file}${line === null ? '' : `:${line}`}`]),
                ].join(', ')}
              </Text>
            </span>
            {problem && (
              <p class="fault">
                <Text>{`${problem.message}. ${problem.hint}`}</Text>
              </p>
            )}
          </li>
        ))}
      </ol>
      {peers.length > 0 && (
        <p class="aside">
          Uses and is used by <NameList names={peers} />
        </p>
      )}
    </Part>
  )
}

function NameList({ names }: { names: readonly string[] }): JSX.Element {
  return (
    <>
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ', '}
          <SkillLink name={name} />
        </span>
      ))}
    </>
  )
}

/** So many references of one direction are listed. */
const REFERENCES_MAX = 30

function References({ row, rows }: { row: Row; rows: Rows }): JSX.Element | null {
  const graph = block<PageGraph>('graph')
  if (!graph.value) return null
  const { nodes, edges } = graph.value
  const number = nodes.findIndex(({ id }) => id === row.name)
  if (number === -1) return null
  const to = edges.filter(({ from }) => from === number).map(edge => ({ ...edge, node: nodes[edge.to] }))
  const from = edges.filter(edge => edge.to === number).map(edge => ({ ...edge, node: nodes[edge.from] }))
  if (to.length + from.length === 0) return null
  const list = (title: string, edges: typeof to): ComponentChildren =>
    edges.length > 0 && (
      <>
        <h3>{title}</h3>
        <ul class="references">
          {edges.slice(0, REFERENCES_MAX).map(({ kind, line, node }) => (
            <li key={`${kind} ${line} ${node?.id}`}>
              {node && rows.byId.has(node.id) ? (
                <SkillLink name={node.id}>{node.name}</SkillLink>
              ) : (
                <code class={node?.kind === 'missing' ? 'missing' : ''}>
                  <Text>{node?.name ?? ''}</Text>
                </code>
              )}
              <span class="origin">{node?.kind === 'missing' ? `${kind}, missing` : kind}</span>
            </li>
          ))}
          {edges.length > REFERENCES_MAX && (
            <li class="aside">{`and ${edges.length - REFERENCES_MAX} more`}</li>
          )}
        </ul>
      </>
    )
  return (
    <Part title="References">
      {list('Refers to', to)}
      {list('Referred to by', from)}
    </Part>
  )
}

function Shadows({ skill: { shadows } }: { skill: SkillDetails }): JSX.Element | null {
  if (shadows.length === 0) return null
  return (
    <Part title="Shadows" count={shadows.length}>
      <ul class="references">
        {shadows.map(({ layer, file }) => (
          <li key={file}>
            <code>
              <Text>{file}</Text>
            </code>
            <span class="origin">{layer}</span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Resources({ skill: { resources } }: { skill: SkillDetails }): JSX.Element | null {
  if (resources.length === 0) return null
  return (
    <Part title="Resources" count={resources.length}>
      <ul class="references">
        {resources.map(({ path, size }) => (
          <li key={path}>
            <code>
              <Text>{path}</Text>
            </code>
            <span class="origin">{`${grouped(size)} bytes`}</span>
          </li>
        ))}
      </ul>
    </Part>
  )
}
