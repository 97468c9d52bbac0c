import { createBuilder } from '@content-collections/core'

let seen = 0
const builder = await createBuilder(`${import.meta.dirname}/content-collections.config.js`)
builder.on('builder:end', ({ stats }) => {
  seen = stats.documents
})
await builder.build()
console.log(JSON.stringify({ seen }))
