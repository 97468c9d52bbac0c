/**
 * The commands whose compiled code `kept-script.ts` keeps. They need no more than the compiler: the runtime would load that a
 * second time.
 */
export const KEPT_COMMANDS: ReadonlySet<string> = new Set(['compile', 'check'])
