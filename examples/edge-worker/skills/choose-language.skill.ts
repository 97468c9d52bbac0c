import { defineTool } from 'agent-apps'

export default defineTool({
  name: 'choose-language',
  description: 'Says in which of our languages to answer, by what a browser accepts.',
  params: {
    type: 'object',
    properties: {
      accepted: { type: 'string', description: 'The header Accept-Language' },
      offered: { type: 'array', items: { type: 'string' }, minItems: 1, default: ['en', 'de', 'fr'] },
    },
    required: ['accepted'],
    additionalProperties: false,
  },
  execute: ({ accepted, offered }: { accepted: string; offered: string[] }) =>
    byPreference(accepted).find(language => offered.includes(language)) ?? offered[0],
})

/** `de-CH;q=0.8, fr` → `fr`, `de`. */
function byPreference(accepted: string): string[] {
  const wishes = accepted.split(',').map(wish => {
    const [, language = '', quality = '1'] = /^\s*([a-z]+)[^;]*(?:;\s*q=([\d.]+))?/i.exec(wish) ?? []
    return { language: language.toLowerCase(), quality: Number(quality) }
  })
  return wishes.sort((a, b) => b.quality - a.quality).map(({ language }) => language)
}
