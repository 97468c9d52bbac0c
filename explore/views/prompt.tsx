import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { PagePrompt } from '../../cli/explore/page-data.js'
import { entryOf, makeCatalog } from '../../src/catalog/catalog.js'
import { entryAsXml } from '../../src/catalog/catalog-formats.js'
import { estimateTokens } from '../../src/catalog/estimate-tokens.js'
import { linkTo, route, setParams } from '../data/route.js'
import { block } from '../data/store.js'
import { Loaded, Notice } from '../parts/loading.js'
import { counted, grouped, Heading, Lines, Text } from '../parts/text.js'

/** The number of tokens until a budget is typed in. */
const BUDGET = 4_000
/** So many entries are drawn at once. */
const STEP = 300

interface Made {
  text: string
  tokens: number
  described: Entry[]
  named: string[]
  unnamed: string[]
}

interface Entry {
  name: string
  tokens: number
  /** The tokens of all entries up to this one. */
  sum: number
  hasContent: boolean
}

/** The skills as a model is shown them within a budget, and the cost of each. */
export function PromptView(): JSX.Element {
  return <Loaded from={block<PagePrompt>('prompt')}>{read => <Prompt read={read} />}</Loaded>
}

function Prompt({ read }: { read: PagePrompt }): JSX.Element {
  const given = route.value.params.get('budget') ?? String(BUDGET)
  const budget = given === 'none' ? Number.POSITIVE_INFINITY : Math.max(0, Number(given) || 0)
  const made = useCatalog(read, budget)
  const isCostly = route.value.params.get('by') === 'cost'
  return (
    <div class="reading">
      <h1>Prompt</h1>
      <p class="lead">What a model is shown of the skills, in order, until the budget ends.</p>
      <div class="controls">
        <label>
          <span>Budget in tokens</span>
          <input
            type="number"
            min="0"
            step="500"
            value={given === 'none' ? '' : given}
            placeholder="no limit"
            onInput={event => setParams({ budget: event.currentTarget.value || 'none' })}
          />
        </label>
        <div class="switch" role="group" aria-label="Order">
          <button type="button" aria-pressed={!isCostly} onClick={() => setParams({ by: '' })}>
            As listed
          </button>
          <button type="button" aria-pressed={isCostly} onClick={() => setParams({ by: 'cost' })}>
            Most expensive first
          </button>
        </div>
      </div>
      {made === null ? (
        <p class="aside" role="status">
          Making the catalog…
        </p>
      ) : made.described.length + made.named.length + made.unnamed.length === 0 ? (
        <Notice title="A model is shown nothing">No skill of this project is offered to models.</Notice>
      ) : (
        <Catalog made={made} isCostly={isCostly} />
      )}
    </div>
  )
}

/** The catalog within a budget, made anew once that has changed. */
function useCatalog({ tools }: PagePrompt, budget: number): Made | null {
  const [made, setMade] = useState<Made | null>(null)
  const costs = useMemo(
    () => new Map(tools.map(tool => [tool.name, estimateTokens(entryAsXml(entryOf(tool, false)))])),
    [tools],
  )
  useEffect(() => {
    let isWanted = true
    const options = { ...(budget < Number.POSITIVE_INFINITY && { budget }), library: true }
    const withContent = tools.map(({ inPrompt, ...tool }) =>
      inPrompt === undefined ? tool : { ...tool, content: () => Promise.resolve(inPrompt) },
    )
    void makeCatalog(withContent, options).then(
      ({ text, tokens, described, withContent, named, unnamed }) => {
        const filled = new Set(withContent)
        let sum = 0
        const entries = described.map((name): Entry => {
          const own = costs.get(name) ?? 0
          sum += own
          return { name, tokens: own, sum, hasContent: filled.has(name) }
        })
        if (isWanted) setMade({ text, tokens, described: entries, named, unnamed })
      },
    )
    return () => {
      isWanted = false
    }
  }, [tools, costs, budget])
  return made
}

function Catalog({ made, isCostly }: { made: Made; isCostly: boolean }): JSX.Element {
  const { described, named, unnamed, tokens, text } = made
  const [most, setMost] = useState(STEP)
  const ordered = isCostly ? described.toSorted((a, b) => b.tokens - a.tokens) : described
  const largest = Math.max(1, ...described.map(entry => entry.tokens))
  const all = described.length + named.length + unnamed.length
  return (
    <>
      <dl class="figures">
        <Figure label="Tokens" value={tokens} />
        <Figure label={`Described of ${grouped(all)}`} value={described.length} />
        <Figure label="By name only" value={named.length} />
        <Figure label="Not listed" value={unnamed.length} />
      </dl>
      <section class="part">
        <Heading count={described.length}>Described</Heading>
        <p class="costs-head" aria-hidden="true">
          <span>tokens</span>
          <span>{isCostly ? '' : 'sum'}</span>
        </p>
        <ol class="costs">
          {ordered.slice(0, most).map(({ name, tokens: own, sum, hasContent }) => (
            <li key={name}>
              <a href={linkTo('skill', name)}>
                <Text>{name}</Text>
              </a>
              {hasContent && <span class="badge">with its content</span>}
              <meter min={0} max={largest} value={own} aria-label={`${own} tokens`} />
              <span class="number">{grouped(own)}</span>
              <span class="number quiet">{isCostly ? '' : grouped(sum)}</span>
            </li>
          ))}
        </ol>
        {ordered.length > most && (
          <button type="button" class="plain" onClick={() => setMost(most + STEP)}>
            {`Show ${grouped(Math.min(STEP, ordered.length - most))} more`}
          </button>
        )}
      </section>
      <Names title="Listed by name only" names={named} />
      <Names title="Not listed: a search finds them" names={unnamed} />
      <details class="part">
        <summary>{`The text as the model gets it, ${counted(tokens, 'token')}`}</summary>
        <pre class="text" tabIndex={0}>
          <Lines>{text}</Lines>
        </pre>
      </details>
    </>
  )
}

export function Figure({ label, value }: { label: string; value: number | string }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{typeof value === 'number' ? grouped(value) : value}</dd>
    </div>
  )
}

function Names({ title, names }: { title: string; names: readonly string[] }): JSX.Element | null {
  if (names.length === 0) return null
  return (
    <details class="part">
      <summary>
        {title} <span class="count">{grouped(names.length)}</span>
      </summary>
      <p class="names">
        {names.slice(0, STEP).map(name => (
          <a key={name} href={linkTo('skill', name)}>
            <Text>{name}</Text>
          </a>
        ))}
        {names.length > STEP && <span class="aside">{`and ${grouped(names.length - STEP)} more`}</span>}
      </p>
    </details>
  )
}
