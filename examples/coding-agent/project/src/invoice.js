export function total(items) {
  return items.reduce((sum, { price }) => sum + price, 0)
}

export function format(cents) {
  return `${(cents / 100).toFixed(2)} €`
}
