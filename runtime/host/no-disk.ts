import type { Disk } from './disk-seam.js'

const none = (): null => null
const noneLater = async (): Promise<null> => null
const no = (): boolean => false
const noText = (): string => ''

/** A host without a file system, where no file is ever found. */
export const disk: Disk = {
  // As in a bundle, hints must not name a command.
  via: 'bundle',
  cwd: () => '.',
  home: () => '.',
  resolve: (...parts) => parts.join('/'),
  inside: none,
  fromFileUrl: none,
  toFileUrl: noText,
  stat: none,
  turn: work => work(),
  lookAgain: none,
  isDirectory: no,
  directoryTime: none,
  list: none,
  listed: none,
  isRefused: no,
  readText: none,
  isLoaded: no,
  loadTexts: async () => {},
  readRange: noneLater,
  realInside: noneLater,
  readInside: noneLater,
  digestFile: none,
  digestText: noText,
  digestOf: noText,
  libraryDirectory: none,
  importModule: async () => ({}),
  userState: noneLater,
  loadParser: noneLater,
}
