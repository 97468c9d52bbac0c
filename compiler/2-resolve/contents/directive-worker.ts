/**
 * Runs static directives in a process of their own, and asks the compiler for the tools and files that they
 * read.
 */

import { AgentAppsError, isAgentAppsError } from '../../../src/base/error.js'
import { directiveFailed } from '../../../src/content/content-faults.js'
import type { DirectiveCall, DirectiveContent, DirectiveSource } from '../../../src/content/directive.js'
import { isDefinedTool } from '../../../src/own/defined-tool.js'
import { endWithParent } from '../../files/child-process.js'
import type { FromDirective, ToDirective } from './directive-process.js'

type Question = Extract<FromDirective, { ask: number }>
type Answer = Extract<ToDirective, { answer: number }>

const watched = endWithParent()
const asked = new Map<number, (answer: Answer) => void>()
let questions = 0

process.on('message', (message: ToDirective) => {
  if ('answer' in message) asked.get(message.answer)?.(message)
  else void run(message)
})

async function run(request: Extract<ToDirective, { call: number }>): Promise<void> {
  const { call, name, url, exported, arg, attributes, file, hasChildren } = request
  const source = sourceFor(call, file)
  const children = async () => (await ask(call, 'children', null)) as string
  const given: DirectiveCall = { arg, attributes, source, ...(hasChildren && { children }) }
  try {
    await watched
    const value = (await import(url))[exported]
    const fn = isDefinedTool(value) ? value.fn : value
    if (typeof fn !== 'function') throw new TypeError(`The export "${exported}" is not a function.`)
    send({ result: call, value: await fn(undefined, given) })
  } catch (error) {
    const { message, hint } = isAgentAppsError(error) ? error : directiveFailed(name, error)
    send({ result: call, problem: { message, hint } })
  }
}

function sourceFor(call: number, file: string): DirectiveSource {
  return {
    file,
    readText: async path => (await ask(call, 'readText', path)) as { text: string; file: string },
    nearestName: async ref => (await ask(call, 'nearestName', ref)) as string | null,
    async findTool(ref) {
      const found = (await ask(call, 'findTool', ref)) as { name: string; number: number } | null
      return (
        found && {
          name: found.name,
          details: async () => (await ask(call, 'details', found.number)) as object,
          content: async () => (await ask(call, 'content', found.number)) as DirectiveContent | null,
        }
      )
    },
  }
}

function ask(call: number, what: Question['what'], of: unknown): Promise<unknown> {
  const question = questions++
  return new Promise((fulfil, reject) => {
    asked.set(question, ({ value, problem }) => {
      asked.delete(question)
      if (problem) reject(new AgentAppsError('DIRECTIVE_FAILED', problem.message, { hint: problem.hint }))
      else fulfil(value)
    })
    send({ ask: question, call, what, of })
  })
}

function send(message: FromDirective): void {
  process.send?.(message)
}
