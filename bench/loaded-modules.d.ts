/** The files of code that a command loads, with their sizes. */
export function loadedModules(args: string[], cwd: string): { file: string; bytes: number }[]
