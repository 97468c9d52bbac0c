import * as sdk from 'ai'
import type { ShownPart } from '../skill-tools/shown.js'
import { onlyText, type Shown } from '../skill-tools/shown.js'

/** A result for a model, in the form that the SDK's version takes. */
export type ModelOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: OutputPart[] }

/** A part of a result. Data is Base64. */
type OutputPart = { type: 'text'; text: string } | OldDataPart | DataPart

/** Data of version 6; version 7 warns about it. */
type OldDataPart =
  | { type: 'image-data'; data: string; mediaType: string }
  | { type: 'file-data'; data: string; mediaType: string; filename?: string }

/** Data of version 7. */
interface DataPart {
  type: 'file'
  data: { type: 'data'; data: string }
  mediaType: string
  filename?: string
}

export function modelOutput(shown: Shown): ModelOutput {
  const text = onlyText(shown)
  if (text === null) return { type: 'content', value: shown.parts.map(outputPart) }
  return { type: shown.isFailure ? 'error-text' : 'text', value: text }
}

function outputPart(part: ShownPart): OutputPart {
  if (part.type === 'text') return part
  const { data, mediaType, filename } = part
  const named = filename === undefined ? {} : { filename }
  // Only version 7 exports `uploadSkill`.
  if ('uploadSkill' in sdk) return { type: 'file', data: { type: 'data', data }, mediaType, ...named }
  if (mediaType.startsWith('image/')) return { type: 'image-data', data, mediaType }
  return { type: 'file-data', data, mediaType, ...named }
}
