import { LocalSkillSource, Workspace } from '@mastra/core/workspace'

const [directory, wanted] = process.argv.slice(2)
const workspace = new Workspace({
  skillSource: new LocalSkillSource({ basePath: directory }),
  skills: ['.'],
})
const skills = await workspace.skills.list()
const skill = await workspace.skills.get(wanted)
console.log(JSON.stringify({ seen: skills.length, loaded: skill.instructions.length }))
