import type { Disk } from './disk-seam.js'

/** Where there is no file system. */
export const disk: Disk | null = null
