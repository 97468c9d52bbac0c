import { runtime, tools } from './dist/agent.mjs'

/** What the bundle says, whichever host it runs on. */
export async function answers() {
  const style = await runtime.readResource('review', 'references/style.md')
  const refused = await tools['word-count']({ text: '' }).catch(({ code, message }) => ({ code, message }))
  return {
    count: await tools['word-count']({ text: 'one two three' }),
    refused,
    moody: await tools.moody(),
    review: await tools.review({ urgent: true }),
    content: await runtime.render('review'),
    style: new TextDecoder().decode(style),
    names: (await runtime.listTools())
      .filter(({ origin }) => origin.layer === 'project')
      .map(({ name, origin }) => `${name} from ${origin.entry}/${origin.file}`),
    explained: (await runtime.explain('word-count')).chain.map(({ name }) => name),
    stats: runtime.stats(),
  }
}
