import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Evaluation } from '../../cli/explore/page-data.js'
import { SEARCH_FIELDS } from '../../src/search/vocabulary.js'
import { type Asked, type AskHit, askFor, fieldsOfHit, openAsked, type WordFields } from '../data/ask.js'
import { linkTo, route, setParams } from '../data/route.js'
import { type Rows, readBlocks, shared } from '../data/store.js'
import { Loaded } from '../parts/loading.js'
import { counted, grouped, Heading, Text } from '../parts/text.js'
import { Figure } from './prompt.js'

const HITS = 10
/** Milliseconds without a key after which hits are explained. */
const PAUSE = 150
/** So many prompts of an evaluation are shown. */
const FAILED = 100

/** A prompt of a user, and the skills that it finds. */
export function AskView({ rows }: { rows: Rows }): JSX.Element {
  const query = route.value.params.get('query') ?? ''
  return (
    <div class="reading">
      <h1>Ask</h1>
      <p class="lead">The skills that an agent finds by the words of a user, best first.</p>
      <label class="ask">
        <span class="unseen">What a user might say</span>
        <input
          type="search"
          value={query}
          placeholder="What a user might say…"
          autocomplete="off"
          onInput={event => setParams({ query: event.currentTarget.value })}
        />
      </label>
      <Loaded from={shared('asked', () => openAsked(readBlocks()))}>
        {asked => (
          <>
            <Hits query={query} asked={asked} rows={rows} />
            {asked.ask.evaluation && <Evaluated evaluation={asked.ask.evaluation} />}
          </>
        )}
      </Loaded>
    </div>
  )
}

function Hits({ query, asked, rows }: { query: string; asked: Asked; rows: Rows }): JSX.Element | null {
  const [found, setFound] = useState<{ hits: AskHit[]; found: number; query: string } | null>(null)
  useEffect(() => {
    let isWanted = true
    void askFor(query, asked, HITS).then(answer => {
      if (isWanted) setFound({ ...answer, query })
    })
    return () => {
      isWanted = false
    }
  }, [query, asked])
  if (query.trim() === '' || !found) return null
  if (found.hits.length === 0)
    return (
      <p class="empty" role="status">
        No skill has one of these words. What users say belongs into descriptions.
      </p>
    )
  const best = found.hits[0]?.score ?? 1
  return (
    <section class="part" aria-label="Hits">
      <Heading count={found.found}>Found</Heading>
      <ol class="hits">
        {found.hits.map(hit => (
          <Hit key={`${hit.name} ${found.query}`} {...{ hit, asked, rows }} query={found.query} best={best} />
        ))}
      </ol>
    </section>
  )
}

function Hit({
  hit,
  query,
  asked,
  rows,
  best,
}: {
  hit: AskHit
  query: string
  asked: Asked
  rows: Rows
  best: number
}): JSX.Element {
  const { name, score, matched } = hit
  const [fields, setFields] = useState<WordFields[]>([])
  useEffect(() => {
    let isWanted = true
    // Texts are unpacked once nothing more is typed.
    const timer = setTimeout(async () => {
      const read = await fieldsOfHit(hit, query, asked, rows, readBlocks())
      if (isWanted) setFields(read)
    }, PAUSE)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [hit, query, asked, rows])
  return (
    <li>
      <div class="hit-head">
        <a href={linkTo('skill', name)}>
          <Text>{name}</Text>
        </a>
        <meter min={0} max={best} value={score} aria-label={`score ${score.toFixed(2)}`} />
        <span class="number">{score.toFixed(2)}</span>
      </div>
      <p class="quiet clamp">
        <Text>{rows.byId.get(name)?.description ?? ''}</Text>
      </p>
      <ul class="words">
        {matched.map(word => (
          <li key={word}>
            <mark>
              <Text>{word}</Text>
            </mark>
            <Fields of={fields.find(one => one.word === word)} />
          </li>
        ))}
      </ul>
    </li>
  )
}

function Fields({ of }: { of: WordFields | undefined }): JSX.Element | null {
  if (!of) return null
  const parts = SEARCH_FIELDS.flatMap(field => {
    const weight = of.fields[field]
    return weight === undefined ? [] : [`${field} ${weight.toFixed(2)}`]
  })
  return <span class="origin">{parts.join(', ')}</span>
}

/** How well the prompts that authors wrote find their skills; those that do not find theirs, first. */
function Evaluated({ evaluation }: { evaluation: Evaluation }): JSX.Element {
  const { prompts, first, five, notFirst, problems } = evaluation
  const share = (found: number): string => (prompts === 0 ? '–' : `${Math.round((100 * found) / prompts)} %`)
  return (
    <section class="part" aria-label="Evaluation">
      <Heading>Prompts that were tried</Heading>
      <dl class="figures">
        <Figure label="Prompts" value={prompts} />
        <Figure label="Find their skill first" value={share(first)} />
        <Figure label="Among the first five" value={share(five)} />
      </dl>
      <ol class="places">
        {notFirst.slice(0, FAILED).map(({ query, skill, file, line, first: instead }) => (
          <li key={`${file}:${line}`}>
            <div>
              <p>
                <a href={linkTo('ask', '', { query })}>
                  <Text>{query}</Text>
                </a>
              </p>
              <p class="quiet">
                {'for '}
                <a href={linkTo('skill', skill)}>
                  <Text>{skill}</Text>
                </a>
                {instead === null ? ' finds nothing' : ' finds first '}
                {instead !== null && (
                  <a href={linkTo('skill', instead)}>
                    <Text>{instead}</Text>
                  </a>
                )}
                <span class="origin">
                  <Text>{`${file}:${line}`}</Text>
                </span>
              </p>
            </div>
          </li>
        ))}
        {problems.map(({ file, line, reason, note }) => (
          <li key={`${file}:${line} ${reason}`}>
            <div>
              <p>
                <Text>{reason}</Text>
              </p>
              <p class="quiet">
                <Text>{note}</Text>
                <span class="origin">
                  <Text>{`${file}:${line}`}</Text>
                </span>
              </p>
            </div>
          </li>
        ))}
      </ol>
      {notFirst.length > FAILED && (
        <p class="aside">{`and ${grouped(notFirst.length - FAILED)} more; ${counted(notFirst.length, 'prompt')} in all. agent-apps eval --verbose lists them.`}</p>
      )}
    </section>
  )
}
