// Two processes of examples/web-approvals over one store: what one asks is approved and run in the other, once, though
// a process is killed in the middle.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Publishes slowly, and notes in the file `published` when it begins and ends. */
const SLOW_SKILL = `import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export const frontmatter = {
  name: 'publish',
  description: 'Publishes a page.',
  metadata: {
    gated: true,
    params: { type: 'object', properties: { page: { type: 'string' } }, required: ['page'] },
  },
}

export default async function publish(_ctx, { page }) {
  appendFileSync(process.env.PUBLISHED, 'begun ' + page + '\\n')
  await sleep(page === 'slow' ? 60_000 : 1)
  appendFileSync(process.env.PUBLISHED, 'published ' + page + '\\n')
  return 'published ' + page
}
`

/**
 * @param example a copy of examples/web-approvals, beside the packages that it imports
 * @param address that of the server with the store
 */
export async function runTwoServers(example, address) {
  const published = join(example, 'published')
  writeFileSync(published, '')
  writeFileSync(join(example, 'skills/publish.skill.js'), SLOW_SKILL)
  const start = () => startServer(join(example, 'server.js'), address, published)
  const [one, other] = await Promise.all([start(), start()])
  try {
    const { asks } = await one.post('first', { text: 'news' })
    assert.equal(asks[0]?.tool, 'publish')
    const yes = { answers: { [asks[0].approvalId]: true } }
    // Both are told at once: one of them runs it.
    const told = await Promise.all([one.post('first', yes), other.post('first', yes)])
    assert.ok(
      told.some(({ text }) => text === 'It gave: published news'),
      JSON.stringify(told),
    )
    assert.equal(readFileSync(published, 'utf8'), 'begun news\npublished news\n')

    const second = await one.post('second', { text: 'slow' })
    const approved = { answers: { [second.asks[0].approvalId]: true } }
    const lost = one.post('second', approved).catch(() => 'killed')
    while (!readFileSync(published, 'utf8').includes('begun slow')) await sleep(20)
    one.kill()
    assert.equal(await lost, 'killed')
    // The approval was used up, so the call has to be approved again.
    const again = await other.post('second', approved)
    assert.ok(!JSON.stringify(again).includes('published slow'), JSON.stringify(again))
    assert.equal(readFileSync(published, 'utf8').match(/begun slow/g).length, 1)
  } finally {
    one.kill()
    other.kill()
  }
}

async function startServer(script, address, published) {
  const env = { ...process.env, PUBLISHED: published }
  const child = spawn(process.execPath, [script, address], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  const url = `http://127.0.0.1:${/\d+/.exec(line)[0]}/chats/`
  return {
    post: async (chat, body) =>
      (await fetch(url + chat, { method: 'POST', body: JSON.stringify(body) })).json(),
    kill: () => child.kill('SIGKILL'),
  }
}
