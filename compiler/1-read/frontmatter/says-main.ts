/** `role: main` as it stands in YAML or in code. */
const ROLE_MAIN = /(?:^|[\s{,])["']?role["']?[ \t]*:[ \t]*["']?main\b/m

/** True for the text of a skill that does not load and seems to be a main skill: others must not do without it unnoticed. */
export function saysMain(text: string): boolean {
  return ROLE_MAIN.test(text)
}
