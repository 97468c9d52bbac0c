/** Parses contents in its own thread, which can be terminated. */
import { parentPort } from 'node:worker_threads'
import { type ParseRequest, parseContent } from './parse-content.js'

parentPort?.on('message', ({ text, known, firstLine }: ParseRequest) => {
  parentPort?.postMessage(parseContent(text, known, firstLine))
})
parentPort?.postMessage('ready')
