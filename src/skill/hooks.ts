export const HOOK_TRIGGERS = ['$next', '$invoke'] as const
export type HookTrigger = (typeof HOOK_TRIGGERS)[number]
