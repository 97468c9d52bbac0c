// A worker at the edge.
import { answers } from './answers.mjs'

export default {
  async fetch() {
    return new Response(JSON.stringify(await answers()))
  },
}
