import type { ChildProcess } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { AgentAppsError, isAgentAppsError } from '../../../src/base/error.js'
import { DIRECTIVE_TIME_LIMIT, directiveHangs } from '../../../src/content/content-faults.js'
import type { DirectiveCall, DirectiveTool } from '../../../src/content/directive.js'
import { startChild } from '../../files/child-process.js'

/** A message of the compiler: a call, or the answer to a directive's question. */
export type ToDirective =
  | {
      call: number
      name: string
      url: string
      exported: string
      arg: string | undefined
      attributes: Record<string, string>
      file: string
      hasChildren: boolean
    }
  | { answer: number; value?: unknown; problem?: Problem }

/** A message of a directive: a question about its source, or its result. */
export type FromDirective =
  | {
      ask: number
      call: number
      what: 'readText' | 'findTool' | 'details' | 'content' | 'nearestName' | 'children'
      of: unknown
    }
  | { result: number; value?: unknown; problem?: Problem }

interface Problem {
  message: string
  hint: string
}

/**
 * Runs an author's static directives in a process of their own, as all of an author's code: code that
 * throws, hangs or exits harms only itself.
 */
export class DirectiveProcess {
  private child: ChildProcess | undefined
  private calls = 0

  constructor(
    private readonly name: string,
    /** The directive's module, absolute. */
    private readonly module: string,
    private readonly exported: string,
  ) {}

  /** @throws DIRECTIVE_FAILED */
  run(call: DirectiveCall): Promise<unknown> {
    const number = this.calls++
    this.child ??= startChild(new URL('./directive-worker.js', import.meta.url))
    const { child } = this
    const tools: DirectiveTool[] = []
    return new Promise((fulfil, reject) => {
      const timer = setTimeout(() => end(() => reject(directiveHangs(this.name)), true), DIRECTIVE_TIME_LIMIT)
      const onExit = (code: number | null, signal: string | null): void =>
        end(
          () =>
            reject(
              failed(`the directive "${this.name}" ended its process: ${signal ?? `exit code ${code}`}`),
            ),
          true,
        )
      const onMessage = (message: FromDirective): void => {
        if ('ask' in message && message.call === number) void answer(message)
        if ('result' in message && message.result === number) {
          const { value, problem } = message
          end(() => (problem ? reject(failed(problem.message, problem.hint)) : fulfil(value)))
        }
      }
      child.on('message', onMessage)
      child.once('exit', onExit)
      child.once('error', error => end(() => reject(failed(error.message)), true))
      const { arg, attributes, source, children } = call
      const hasChildren = children !== undefined
      this.send({
        call: number,
        name: this.name,
        url: pathToFileURL(this.module).href,
        exported: this.exported,
        arg,
        attributes,
        file: source.file,
        hasChildren,
      })

      const end = (then: () => void, isOver = false): void => {
        clearTimeout(timer)
        child.off('message', onMessage)
        child.off('exit', onExit)
        if (isOver) this.close()
        then()
      }

      const answer = async ({ ask, what, of }: Extract<FromDirective, { ask: number }>): Promise<void> => {
        try {
          this.send({ answer: ask, value: await answerTo(what, of, call, tools) })
        } catch (error) {
          const { message, hint = '' } = isAgentAppsError(error) ? error : failed(String(error))
          this.send({ answer: ask, problem: { message, hint } })
        }
      }
    })
  }

  close(): void {
    this.child?.kill('SIGKILL')
    this.child = undefined
  }

  private send(message: ToDirective): void {
    this.child?.send(message, () => {
      // A process that is gone is reported by its exit.
    })
  }
}

/** A tool that was found stays in this process: the directive gets its name and its number. */
async function answerTo(
  what: string,
  of: unknown,
  { source, children }: DirectiveCall,
  tools: DirectiveTool[],
): Promise<unknown> {
  switch (what) {
    case 'readText':
      return source.readText(String(of))
    case 'nearestName':
      return source.nearestName(String(of))
    case 'children':
      return children?.()
    case 'findTool': {
      const tool = await source.findTool(String(of))
      return tool && { name: tool.name, number: tools.push(tool) - 1 }
    }
    case 'details': {
      const { description, params } = (await tools[Number(of)]?.details()) ?? {}
      return { description, params }
    }
    case 'content':
      return (await tools[Number(of)]?.content()) ?? null
    default:
      throw failed(`there is no answer to ${JSON.stringify(what)}`)
  }
}

function failed(message: string, hint = 'Correct the directive or its arguments.'): AgentAppsError {
  return new AgentAppsError('DIRECTIVE_FAILED', message, { hint })
}
