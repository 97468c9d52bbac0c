import type { Diagnostic, Severity } from '../../src/base/diagnostic.js'
import { isJsonObject } from '../../src/base/json.js'
import { nearest } from '../../src/base/nearest.js'
import { isRuleName, RULES, type RuleName } from './diagnostics.js'

/** The severity of a rule in a project; `off`: it is not reported. */
export type RuleSetting = Severity | 'off'

/** The rules whose severity a project has set, by name. */
export type RuleSettings = Readonly<Partial<Record<string, RuleSetting>>>

const SETTINGS: readonly unknown[] = ['off', 'info', 'warning', 'error'] satisfies RuleSetting[]

/** The fault in rule settings, as the end of a sentence; null if they are valid. */
export function ruleSettingsProblem(settings: unknown): string | null {
  if (!isJsonObject(settings)) return 'must be an object of rules and their severities'
  for (const [rule, setting] of Object.entries(settings)) {
    if (!isRuleName(rule)) {
      const near = nearest(rule, Object.keys(RULES))
      return `has a rule "${rule}", which does not exist${near === null ? '' : `; did you mean "${near}"?`}`
    }
    if (!SETTINGS.includes(setting))
      return `gives "${rule}" the severity ${JSON.stringify(setting)}, which must be "off", "info", "warning" or "error"`
    const why = fixedSeverity(rule)
    if (why !== null) return `sets "${rule}", whose severity cannot be changed: ${why}`
  }
  return null
}

/** The reason why the severity of a rule is fixed; null if it can be set. */
export function fixedSeverity(rule: RuleName): string | null {
  if ('security' in RULES[rule]) return 'it guards the security of a project'
  return 'fatal' in RULES[rule] ? 'a skill with this fault does not load' : null
}

/** Applies the settings to a diagnostic's severity; null if its rule is off. */
export function withSetting(diagnostic: Diagnostic, settings: RuleSettings): Diagnostic | null {
  const setting = Object.hasOwn(settings, diagnostic.rule) ? settings[diagnostic.rule] : undefined
  // A fault that keeps a skill from loading is always reported.
  if (setting === undefined || diagnostic.fatal) return diagnostic
  return setting === 'off' ? null : { ...diagnostic, severity: setting }
}
