import * as sdk from 'ai'
import type { ShownPart } from '../skill-tools/shown.js'
import { onlyText, type Shown } from '../skill-tools/shown.js'

/** A result as a model is shown it, in the form that the SDK's version takes. */
export type ModelOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: OutputPart[] }

/** A part of what a model is shown. Data is Base64. */
type OutputPart = { type: 'text'; text: string } | OldDataPart | DataPart

/** As version 6 takes data; version 7 warns of it. */
type OldDataPart =
  | { type: 'image-data'; data: string; mediaType: string }
  | { type: 'file-data'; data: string; mediaType: string; filename?: string }

/** As version 7 takes data. */
interface DataPart {
  type: 'file'
  data: { type: 'data'; data: string }
  mediaType: string
  filename?: string
}

/** A shown result in the form that the SDK's version takes. */
export function modelOutput(shown: Shown): ModelOutput {
  const text = onlyText(shown)
  if (text === null) return { type: 'content', value: shown.parts.map(outputPart) }
  return { type: shown.isFailure ? 'error-text' : 'text', value: text }
}

function outputPart(part: ShownPart): OutputPart {
  if (part.type === 'text') return part
  const { data, mediaType, filename } = part
  const named = filename === undefined ? {} : { filename }
  // Only version 7 has this.
  if ('uploadSkill' in sdk) return { type: 'file', data: { type: 'data', data }, mediaType, ...named }
  if (mediaType.startsWith('image/')) return { type: 'image-data', data, mediaType }
  return { type: 'file-data', data, mediaType, ...named }
}
