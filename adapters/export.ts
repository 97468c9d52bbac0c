/**
 * Skills for other hosts: a discovery index, a plugin, or plain folders.
 *
 * @module agent-apps/export
 */

export { type ExportOptions, type ExportResult, exportSkills, type LeftOut } from './export/export-skills.js'
