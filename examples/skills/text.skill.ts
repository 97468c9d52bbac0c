import { defineTool } from 'agent-apps'
import { z } from 'zod'
import { sentences, words } from './lib/words.ts'

const text = z.string().describe('The text to look at')

export default defineTool({
  name: 'word-count',
  description: 'Counts the words and sentences of a text.',
  params: z.object({ text }),
  returns: z.object({ words: z.number(), sentences: z.number() }),
  tags: ['writing'],
  execute: args => ({ words: words(args.text).length, sentences: sentences(args.text).length }),
})

export const longWords = defineTool({
  name: 'long-words',
  description: 'Lists the words of a text that have at least some number of letters.',
  params: z.object({ text, letters: z.number().int().min(1).default(12) }),
  tags: ['writing'],
  execute: args => words(args.text).filter(word => word.length >= args.letters),
})
