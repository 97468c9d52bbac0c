/**
 * The commands whose compiled code `kept-script.ts` keeps. These need only the compiler. A command that needs the runtime would
 * load the compiler again, from outside the script.
 */
export const KEPT_COMMANDS: ReadonlySet<string> = new Set(['compile', 'check'])
