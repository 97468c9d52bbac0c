import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, total } from '../src/invoice.js'

test('total() counts each item as often as it was bought', () => {
  const items = [
    { price: 250, count: 2 },
    { price: 100, count: 1 },
  ]
  assert.equal(total(items), 600)
})

test('format() shows cents as euros', () => {
  assert.equal(format(600), '6.00 €')
})
