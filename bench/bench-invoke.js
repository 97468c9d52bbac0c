import { goals } from './goals.js'
import { run } from './measure.js'
import { atMost, heading, row } from './table.js'

const us = value => `${value.toFixed(3)} µs`

/** What it costs to call a tool that is known, above calling its function. */
export function benchInvoke() {
  heading('invoke, one call')
  const { bare, nested, invoke, params, none, before, around, target, hook } = JSON.parse(run('invoke.js'))
  const overhead = invoke - bare
  row('the tool’s function itself', us(bare))
  row('ten async functions that await each other', us(nested), { note: 'around the same function' })
  row('invoke, no middleware', us(invoke), { net: us(overhead) })
  row('invoke, arguments held against a schema', us(params), { net: us(params - bare) })
  // The chain is measured by itself: which one a tool has is not part of what it costs to run it.
  const withChain = chain => overhead + chain - none
  row('invoke, ten middlewares that only go on', us(bare + withChain(before)), { net: us(withChain(before)) })
  row(
    'invoke, ten middlewares that await next()',
    us(bare + withChain(around)),
    { net: us(withChain(around)) },
    atMost(withChain(around), goals.invoke, ' µs'),
  )
  row('the same, each writing to what it serves', us(bare + withChain(target)), {
    net: us(withChain(target)),
  })
  row('ten that go on, in a $next hook', us(bare + withChain(hook)), { net: us(withChain(hook)) })
}
