import type { GuardFault } from '../policy/guards.js'
import { type Fault, mendFirst, quoted } from '../skill/skill-faults.js'
import type { CascadeProblem, CascadeTool } from './types.js'

type Path = (string | number)[]

/**
 * Returns a problem as reported for one tool: its own, or one of a tool that its metadata comes from.
 *
 * @param nameOf returns the name of a tool by its id
 */
export function problemFor(
  tool: string,
  { tool: owner, message, hint }: Pick<CascadeProblem, 'tool' | 'message' | 'hint'>,
  nameOf: (id: string) => string,
): { message: string; hint: string } {
  return { message: owner === tool ? message : `in ${quoted(nameOf(owner))}, ${message}`, hint }
}

/** There is one factory for each code of a problem. */
export function annotationUnknown(tool: CascadeTool, key: string, meant: string | null): CascadeProblem {
  return {
    code: 'annotation-unknown',
    tool: tool.id,
    path: [key],
    message: `${quoted(key)} is not an annotation`,
    hint: meant
      ? `Did you mean ${meant}?`
      : 'Keys that begin with $ are annotations; name data without the $.',
  }
}

export function annotationInvalid(
  tool: CascadeTool,
  path: Path,
  message: string,
  hint: string,
): CascadeProblem {
  return { code: 'annotation-invalid', tool: tool.id, path, message, hint }
}

export function annotationNested(tool: CascadeTool, path: Path): CascadeProblem {
  return {
    code: 'annotation-nested',
    tool: tool.id,
    path,
    message: `${quoted(path.at(-1))} is inside a value, but annotations belong directly under metadata`,
    hint: 'Move it up to metadata, or name the key without the $.',
  }
}

export function inheritMissing(
  tool: CascadeTool,
  path: Path,
  ref: string,
  near: string | null,
): CascadeProblem {
  return {
    code: 'inherit-missing',
    tool: tool.id,
    path,
    message: `there is no tool ${quoted(ref)} to inherit from`,
    hint:
      near === null ? 'Correct the reference, or take it out of $inherit.' : `Did you mean ${quoted(near)}?`,
  }
}

/** A base with a fault. The metadata that it passes on may guard the tool. */
export function inheritBroken(
  tool: CascadeTool,
  path: Path,
  ref: string,
  { message, hint }: Fault,
): CascadeProblem {
  return {
    code: 'inherit-broken',
    tool: tool.id,
    path,
    message: `${quoted(ref)} cannot be inherited from: ${message}`,
    hint: mendFirst(hint),
  }
}

export function inheritCycle(tool: CascadeTool, path: Path, cycle: string): CascadeProblem {
  return {
    code: 'inherit-cycle',
    tool: tool.id,
    path,
    message: `it inherits from itself: ${cycle}`,
    hint: 'Take one of these tools out of the $inherit of the one before it.',
  }
}

export function dynamicCycle(tool: CascadeTool, path: Path, key: string, cycle: string): CascadeProblem {
  return {
    code: 'dynamic-cycle',
    tool: tool.id,
    path,
    message: `${quoted(key)} cannot run dynamically, since its chain would never end: ${cycle}`,
    hint: `Take ${key} out of $dynamic, or one of the others out of the $dynamic of the one before it.`,
  }
}

export function chainTooLarge(
  tool: CascadeTool,
  path: Path,
  calls: number,
  most: { name: string; calls: number },
): CascadeProblem {
  return {
    code: 'chain-too-large',
    tool: tool.id,
    path,
    message: `one call of ${tool.name} expands to ${amount(calls)} calls of middleware, most of them (${amount(most.calls)}) by ${quoted(most.name)}`,
    hint: `Name middleware that needs no middleware of its own in $static, or take ${most.name} out.`,
  }
}

export function inlineInterpolated(tool: CascadeTool, path: Path): CascadeProblem {
  return {
    code: 'inline-interpolated',
    tool: tool.id,
    path,
    message: 'an inline:// reference contains ${…}, but interpolated text must not become code',
    hint: 'Write \\${ for a ${ of the code itself; pass values to code as arguments.',
  }
}

/** A guard that cannot be read. Its tool must not run unguarded. */
export function guardInvalid(tool: CascadeTool, fault: GuardFault): CascadeProblem {
  return { code: 'guard-invalid', tool: tool.id, ...fault }
}

/** A key that is the name of a middleware with a fault. The tool that it should guard would be unguarded. */
export function middlewareBroken(
  tool: CascadeTool,
  { tool: writer, path }: { tool: string; path: Path },
  key: string,
  { message, hint }: Fault,
): CascadeProblem {
  return {
    code: 'middleware-broken',
    tool: tool.id,
    path: writer === tool.id ? path : [],
    ...(writer !== tool.id && { at: { tool: writer, path } }),
    message: `the middleware ${quoted(key)} cannot be used: ${message}`,
    hint: mendFirst(hint),
  }
}

/** A main skill with a fault, whose promotions are unknown. */
export function mainBroken(tool: CascadeTool, { message, hint }: Fault): CascadeProblem {
  return {
    code: 'main-broken',
    tool: tool.id,
    path: [],
    message: `${message}, so what it promotes is unknown`,
    hint,
  }
}

function amount(calls: number): string {
  return calls < Number.MAX_SAFE_INTEGER ? String(calls) : `more than ${Number.MAX_SAFE_INTEGER}`
}
