import { answer } from './answer.mjs'

/** What a function behind a URL is given, and gives. */
export async function handler({ body, isBase64Encoded = false }) {
  const sent = body ?? ''
  const { status, body: said } = await answer(isBase64Encoded ? Buffer.from(sent, 'base64').toString() : sent)
  return { statusCode: status, headers: { 'content-type': 'application/json' }, body: said }
}
