import { answer } from './answer.mjs'

export default {
  async fetch(request) {
    const { status, body } = await answer(await request.text())
    return new Response(body, { status, headers: { 'content-type': 'application/json' } })
  },
}
