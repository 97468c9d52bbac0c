/**
 * Imported ahead of a program: a path in $SWAPPED looks to `stat` as the file in $BEFORE does, as though it had been replaced just
 * after that look. What is opened is what really lies there.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { SWAPPED, BEFORE } = process.env

for (const look of ['statSync', 'lstatSync']) {
  const real = fs[look]
  fs[look] = (path, ...rest) => real(path === SWAPPED ? BEFORE : path, ...rest)
}
syncBuiltinESMExports()
