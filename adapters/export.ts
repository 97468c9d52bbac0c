/** Skills for other hosts: a discovery index, a plugin, or plain folders. */

export { type ExportOptions, type ExportResult, exportSkills, type LeftOut } from './export/export-skills.js'
