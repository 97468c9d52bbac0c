// It warns of every folder that a skill may have and has not; that is turned off.
import { LogLevel, loadAllSkillsInDir, setLogLevel } from '@google/adk'

const [directory, wanted] = process.argv.slice(2)
setLogLevel(LogLevel.ERROR)
const skills = await loadAllSkillsInDir(directory)
console.log(JSON.stringify({ seen: Object.keys(skills).length, loaded: skills[wanted].instructions.length }))
