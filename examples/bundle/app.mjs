// A program: node app.mjs, deno run app.mjs, bun app.mjs.
import { answers } from './answers.mjs'

console.log(JSON.stringify(await answers()))
