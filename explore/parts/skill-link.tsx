import type { JSX } from 'preact'
import { linkTo } from '../data/route.js'
import { rowsBlock } from '../data/store.js'
import { Text } from './text.js'

/** The name of a skill, as a link to its page if it has one: the library's tools mostly have none. */
export function SkillLink({ name, children = name }: { name: string; children?: string }): JSX.Element {
  const isThere = rowsBlock().value?.byId.has(name)
  return isThere ? (
    <a href={linkTo('skill', name)}>
      <Text>{children}</Text>
    </a>
  ) : (
    <span>
      <Text>{children}</Text>
    </span>
  )
}
