import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { PagePolicy, PolicyAgent } from '../../cli/explore/page-data.js'
import type { JsonValue } from '../../src/base/json.js'
import { decideCall } from '../data/policy.js'
import { linkTo, route, setParams } from '../data/route.js'
import { block, type Rows } from '../data/store.js'
import { Loaded } from '../parts/loading.js'
import { SkillLink } from '../parts/skill-link.js'
import { counted, grouped, Heading, Text } from '../parts/text.js'

/** So many tools of one reason are shown. */
const NAMES_MAX = 60

const STEP_NAMES = ['', 'It exists', 'Allowed tools', 'Lists', 'Permissions', 'Rules', 'Approval']

/** The tools that an agent is offered or does not get, and the decision about a call. */
export function PolicyView({ rows }: { rows: Rows }): JSX.Element {
  return (
    <Loaded from={block<PagePolicy>('policy')}>{policy => <Policy policy={policy} rows={rows} />}</Loaded>
  )
}

function Policy({ policy, rows }: { policy: PagePolicy; rows: Rows }): JSX.Element {
  const { params } = route.value
  const [first, ...others] = policy.agents
  const agent = others.find(({ id }) => id === params.get('agent')) ?? first
  return (
    <div class="split">
      <section class="side" aria-label="Agents">
        <h1>Policy</h1>
        <p class="tally">Decided as a program does that trusts this project.</p>
        <ul class="choices">
          {policy.agents.map(one => (
            <li key={one.id ?? ''}>
              <button
                type="button"
                aria-pressed={one === agent}
                onClick={() => setParams({ agent: one.id ?? '' })}
              >
                <span>
                  <AgentName agent={one} />
                </span>
                <span class="count">{`${grouped(one.offered.length)} / ${grouped(one.offered.length + one.withheld.length)}`}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section class="detail" aria-label="The agent">
        {agent && (
          <>
            <header class="detail-head">
              <h2>
                <AgentName agent={agent} />
              </h2>
              <Limits agent={agent} />
            </header>
            <Call agent={agent} policy={policy} rows={rows} />
            <Withheld agent={agent} />
            <Offered agent={agent} />
          </>
        )}
      </section>
    </div>
  )
}

function AgentName({ agent: { id } }: { agent: PolicyAgent }): JSX.Element {
  return id === null ? <>An agent without limits of its own</> : <Text>{id}</Text>
}

/** The limits as they are written. */
function Limits({ agent: { limits } }: { agent: PolicyAgent }): JSX.Element {
  const written: [by: string, key: string, value: string][] = [
    ...(['allow', 'deny', 'rules'] as const).flatMap(key =>
      limits[key].map(({ by, patterns }): [string, string, string] => [by, key, patterns.join(' ')]),
    ),
    ...limits.permissions.map(({ by, granted }): [string, string, string] => [
      by,
      'permissions',
      granted.join(', ') || 'none',
    ]),
  ]
  if (written.length === 0) return <p class="aside">No policy is configured: no permission is granted.</p>
  return (
    <dl class="limits">
      {written.map(([by, key, value]) => (
        <div key={`${by} ${key}`}>
          <dt>{key}</dt>
          <dd>
            <code>
              <Text>{value}</Text>
            </code>
            <span class="origin">{by}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A call that is typed in, and each step's answer. */
function Call({ agent, policy, rows }: { agent: PolicyAgent; policy: PagePolicy; rows: Rows }): JSX.Element {
  const { params } = route.value
  const name = params.get('tool') ?? ''
  const written = params.get('args') ?? '{}'
  const args = parsed(written)
  const row = rows.byId.get(name)
  const tool = Object.hasOwn(policy.tools, name) ? policy.tools[name] : undefined
  const decided = useMemo(
    () => (row && tool && args !== undefined ? decideCall(row, tool, args, agent) : null),
    [row, tool, args, agent],
  )
  return (
    <section class="part">
      <Heading>Why may it, or why not</Heading>
      <div class="call">
        <label>
          <span>Tool</span>
          <input
            type="search"
            value={name}
            list="tools"
            placeholder="deploy"
            autocomplete="off"
            spellcheck={false}
            onInput={event => setParams({ tool: event.currentTarget.value })}
          />
        </label>
        <datalist id="tools">
          {matching(rows, name).map(one => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <label>
          <span>Arguments as JSON</span>
          <input
            type="text"
            value={written}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={args === undefined}
            onInput={event => setParams({ args: event.currentTarget.value })}
          />
        </label>
      </div>
      {name !== '' && !row && <p class="aside">No skill has this name.</p>}
      {args === undefined && <p class="fault">The arguments are not JSON.</p>}
      {decided && (
        <ol class="steps">
          {decided.steps.map(({ step, decision, reason, written }) => (
            <li key={step} class={decision ?? 'passed'}>
              <span class="step-name">{STEP_NAMES[step]}</span>
              <strong>{decision ?? 'goes on'}</strong>
              <span>
                <Text>{reason}</Text>
                {written && (
                  <a class="origin" href={linkTo('skill', written.skill)}>
                    <Text>{`${written.key} of ${written.skill}`}</Text>
                  </a>
                )}
                {step === 5 && decided.isOpen && <span class="badge">known when called</span>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

/** So many names are suggested. */
const SUGGESTED = 20

function matching({ rows }: Rows, text: string): string[] {
  const words = text.toLowerCase()
  return rows
    .filter(({ kind, name }) => kind !== 'broken' && kind !== 'skipped' && name.toLowerCase().includes(words))
    .slice(0, SUGGESTED)
    .map(({ name }) => name)
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** The tools that the agent does not get, by reason. */
function Withheld({ agent: { withheld } }: { agent: PolicyAgent }): JSX.Element | null {
  if (withheld.length === 0) return null
  const reasons = [...Map.groupBy(withheld, ({ why, grant }) => `${why}\n${grant}`).values()].sort(
    (a, b) => b.length - a.length,
  )
  return (
    <section class="part">
      <Heading count={withheld.length}>Withheld</Heading>
      <ol class="places">
        {reasons.map(tools => (
          <li key={tools[0]?.why}>
            <div>
              <p>
                <strong>
                  <Text>{tools[0]?.why ?? ''}</Text>
                </strong>
              </p>
              <p class="quiet">
                <Text>{tools[0]?.grant ?? ''}</Text>
              </p>
              <Names names={tools.map(({ name }) => name)} />
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Offered({ agent: { offered } }: { agent: PolicyAgent }): JSX.Element {
  return (
    <section class="part">
      <Heading count={offered.length}>Offered</Heading>
      {offered.length === 0 ? <p class="aside">Nothing.</p> : <Names names={offered} />}
    </section>
  )
}

function Names({ names }: { names: readonly string[] }): JSX.Element {
  return (
    <p class="names">
      {names.slice(0, NAMES_MAX).map(name => (
        <SkillLink key={name} name={name} />
      ))}
      {names.length > NAMES_MAX && (
        <span class="aside">{`and ${counted(names.length - NAMES_MAX, 'other')}`}</span>
      )}
    </p>
  )
}
