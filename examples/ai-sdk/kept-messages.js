import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** The messages that a folder keeps; with a person's answer, if they were asked. */
export function readMessages(folder, answer) {
  const file = `${folder}/messages.json`
  if (!existsSync(file)) return [{ role: 'user', content: 'Release!' }]
  const messages = JSON.parse(readFileSync(file, 'utf8'))
  const last = [messages.at(-1).content].flat()
  const { approvalId } = last.find(({ type }) => type === 'tool-approval-request') ?? {}
  if (approvalId === undefined) return messages
  const approved = answer === 'yes'
  const response = { type: 'tool-approval-response', approvalId, approved, reason: 'a person said no' }
  return [...messages, { role: 'tool', content: [response] }]
}

/** Keeps the messages, and what came of them: version 6 has that in `response`. */
export function keepMessages(folder, messages, { response, responseMessages = response.messages }) {
  writeFileSync(`${folder}/messages.json`, JSON.stringify([...messages, ...responseMessages]))
}
