import { build } from 'velite'

const { skills } = await build({ config: 'velite.config.js', clean: true, logLevel: 'silent' })
console.log(JSON.stringify({ seen: skills.length }))
