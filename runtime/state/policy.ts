import type { ErrorCode } from '../../src/base/error.js'
import type { JsonValue } from '../../src/base/json.js'
import type { Permission } from '../../src/base/permissions.js'
import type { ChoiceQuestion, ConfirmQuestion, TextQuestion } from '../../src/own/question.js'
import type { Decision, StepAnswer } from '../../src/policy/decide.js'
import type { AgentCall } from '../../src/policy/limits.js'
import type { Origin, ToolDef } from './tool-def.js'

/** Patterns, as in a skill's `allowed-tools`. */
export type Patterns = string | readonly string[]

/** The limits of an agent. What it leaves out limits nothing, but permissions must be granted by someone. */
export interface AgentPolicy {
  /** The tools that it may call. Absent: all. */
  allowedTools?: Patterns | undefined
  /** If it is not empty, the only tools that it may call. */
  allow?: Patterns | undefined
  /** Tools that it may not call, whatever allows them. */
  deny?: Patterns | undefined
  /** The permissions of the tools that it calls. */
  permissions?: readonly Permission[] | undefined
  /** Rules over calls: `bash($policy=ask)`. The first that matches a call decides. */
  rules?: Patterns | undefined
}

/** The limits of all agents of a runtime. */
export interface RuntimePolicy extends Omit<AgentPolicy, 'allowedTools'> {
  approval?: ApprovalPolicy | undefined
  /**
   * How a skill's `allowed-tools` is read. `restrict`: it restricts what its agent may call. `pre-approve`: calls
   * that it matches need no approval while the skill is open, but for those that a rule asks about.
   */
  readAllowedTools?: 'restrict' | 'pre-approve' | undefined
  /** Called after the rules, with what is known of a call. It can only make the answer stricter. */
  guard?: ((call: AgentCall) => 'ask' | 'deny' | undefined) | undefined
  trust?: TrustPolicy | undefined
}

/** The answer for agents that ask for the code of a project that its program did not choose. It never counts in a project's own file. */
export interface TrustPolicy {
  /** `ask`: a person is asked at the first call. Default: `ask`. */
  project?: 'ask' | 'allow' | 'deny' | undefined
}

/** An agent that has a name: its limits are chosen by its id. */
export interface NamedAgent {
  id: string
  tools?: { allow?: Patterns | undefined; deny?: Patterns | undefined } | undefined
  permissions?: readonly Permission[] | undefined
  rules?: Patterns | undefined
}

/** A project's configuration of agents. */
export interface ProjectConfiguration {
  /** The project's folder, absolute. */
  root: string
  /** Before the project is trusted, only `deny` and the rules that ask or deny count. */
  policy?: Omit<RuntimePolicy, 'guard' | 'trust'> | undefined
  /** Before the project is trusted, there are none. */
  agents?: readonly NamedAgent[] | undefined
  /** Before the project is trusted, agents get none of them. */
  env?: readonly string[] | undefined
}

/** How calls that need approval are dealt with. */
export interface ApprovalPolicy {
  /**
   * `ask`: `interact` is asked. `allowlist`: what `allow` matches runs, for all else `interact` is asked.
   * `yolo`: they run. Default: `ask`.
   */
  mode?: 'ask' | 'allowlist' | 'yolo' | undefined
  /** The calls that run without approval under `allowlist`. */
  allow?: Patterns | undefined
  /** How long answers hold at most: `project` past the process. Default: `session`. */
  remember?: 'session' | 'project' | undefined
}

/** The fields of every question to a person. */
interface Question {
  /** Unique to this question. */
  id: string
  /** When an answer comes too late, in milliseconds since 1970. */
  expires: number
  /** Aborted once no answer is wanted any more. */
  signal: AbortSignal
}

/** A call that a person is asked about. */
export interface ApprovalRequest extends Question {
  kind: 'approval'
  tool: string
  layer: Origin['layer']
  origin: Origin
  /** The digest that an answer is bound to: it changes with every file that the tool is made of. */
  digest: string
  /** The call's key, as a person may be shown it: cut if it is long, and nothing hidden in it. */
  key: string
  /** The arguments, complete, but for those whose names say that they are secret. */
  args: JsonValue
  /** The arguments that the key leaves out: an answer for the session is for any values of these. */
  ignored: string[]
  /** The tool's preview of the call; null if it has none. */
  preview: string | null
  /** The question as a person may be shown it, with all of this: nothing in it hides, or passes for another part. */
  text: string
  /** Why it is asked. */
  reason: string
  /** The rule that asks; null where the tool itself does. */
  rule: string | null
  agentId: string | undefined
  sessionId: string | undefined
  userId: string | undefined
}

/** A tool that an agent gets only once its project is trusted, since code runs for it. */
export interface UntrustedTool {
  name: string
  /** Absolute. */
  file: string
  /** The declared permissions. All four for code that would have to be run to know. */
  permissions: { required: readonly Permission[]; optional: readonly Permission[] }
  /** The declared `gated`; null if its permissions decide. */
  gated: boolean | null
  /** Tools of its name that it takes the place of. */
  shadows: Origin['shadows']
}

/** A project that a person is asked about before agents get its code. */
export interface ProjectRequest extends Question {
  kind: 'project'
  /** The project's folder, absolute. */
  root: string
  /** The digest that an answer is bound to: it changes with each of the project's tools, and with its configuration. */
  digest: string
  tools: readonly UntrustedTool[]
  /** The parts of its configuration that an allowing answer puts into effect. */
  configuration: Omit<ProjectConfiguration, 'root'>
}
/** A call that a person is to be asked about in a host's own way. `answer` takes the answer by its id. */
export type WaitingRequest = Omit<ApprovalRequest, 'signal'>
/** A question of a tool: whatever it asks, `tool` is who asks. */
export type PromptRequest = TellsTool & (TextQuestion | ChoiceQuestion | ConfirmQuestion)

interface TellsTool extends Question {
  tool: string
  layer: Origin['layer']
  agentId: string | undefined
  sessionId: string | undefined
  userId: string | undefined
}

/** The tools that a model is offered, whose arguments are known, and those that it does not get. */
export interface Offer {
  tools: ToolDef[]
  withheld: Withheld[]
}

/** A tool that agents may know of, and that a model does not get. */
export interface Withheld {
  tool: ToolDef
  why: string
  /** Advice for a person who wants the model to get it. */
  grant: string
}

/** The decision about an agent's call. */
export interface Authorization extends Omit<Decision, 'code'> {
  /** The code of the error that a denied call throws, or one that cannot work. */
  code: ErrorCode | null
  /** The answers of the steps, up to the one that decides. */
  steps: StepAnswer[]
  /** The request for a person, if the decision is `ask`. */
  request?: WaitingRequest
}

/** A question to a person. */
export type HostRequest = ApprovalRequest | ProjectRequest | PromptRequest

/** `allow-project` counts as `allow-session` unless the policy remembers answers for the project. */
export type ApprovalAnswer = 'allow-once' | 'allow-session' | 'allow-project' | 'deny'

/** Asks a person. Whatever it gives but an answer, or throws, denies the call. */
export type Interact = (
  request: HostRequest,
) => ApprovalAnswer | { answer: ApprovalAnswer; reason?: string } | Promise<unknown>
