import type { ErrorCode } from '../../src/base/error.js'
import type { JsonValue } from '../../src/base/json.js'
import type { Permission } from '../../src/base/permissions.js'
import type { ChoiceQuestion, ConfirmQuestion, TextQuestion } from '../../src/own/question.js'
import type { Decision, StepAnswer } from '../../src/policy/decide.js'
import type { AgentCall } from '../../src/policy/limits.js'
import type { Origin, ToolDef } from './tool-def.js'

/** Patterns, as in a skill's `allowed-tools`. */
export type Patterns = string | readonly string[]

/** The limits of an agent. Absent fields limit nothing, except that some policy must grant permissions. */
export interface AgentPolicy {
  /** The tools that it may call. Absent: all. */
  allowedTools?: Patterns | undefined
  /** If not empty, the only tools that it may call. */
  allow?: Patterns | undefined
  /** Tools that it may not call, whatever else allows them. */
  deny?: Patterns | undefined
  /** The permissions granted to the tools that it calls. */
  permissions?: readonly Permission[] | undefined
  /** Rules over calls: `bash($policy=ask)`. The first that matches a call decides. */
  rules?: Patterns | undefined
}

/** The limits of all agents of a runtime. */
export interface RuntimePolicy extends Omit<AgentPolicy, 'allowedTools'> {
  /** The handling of calls that need approval. */
  approval?: ApprovalPolicy | undefined
  /**
   * How a skill's `allowed-tools` is read. `restrict`: it restricts what its agent may call. `pre-approve`: calls
   * that it matches need no approval while the skill is open, but for those that a rule asks about.
   */
  readAllowedTools?: 'restrict' | 'pre-approve' | undefined
  /** Called after the rules. It can only make the decision stricter. */
  guard?: ((call: AgentCall) => 'ask' | 'deny' | undefined) | undefined
  /** The trust in projects that the program did not choose. */
  trust?: TrustPolicy | undefined
}

/** The trust in projects that the program did not choose. A project's own file cannot set it. */
export interface TrustPolicy {
  /** `ask`: a person is asked at the first call. Default: `ask`. */
  project?: 'ask' | 'allow' | 'deny' | undefined
}

/** An agent with an id, and its limits. */
export interface NamedAgent {
  /** The id by which `forAgent` knows it. */
  id: string
  /** Patterns of the tools that it may call, and of those that it may not. */
  tools?: { allow?: Patterns | undefined; deny?: Patterns | undefined } | undefined
  /** The permissions that it is granted. */
  permissions?: readonly Permission[] | undefined
  /** Rules over its calls. */
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

/** The handling of calls that need approval. */
export interface ApprovalPolicy {
  /**
   * `ask`: asks `interact`. `allowlist`: runs calls that `allow` matches and asks `interact` about others.
   * `yolo`: runs all. Default: `ask`.
   */
  mode?: 'ask' | 'allowlist' | 'yolo' | undefined
  /** The calls that run without approval under `allowlist`. */
  allow?: Patterns | undefined
  /** The longest time an answer holds; `project` outlives the process. Default: `session`. */
  remember?: 'session' | 'project' | undefined
}

/** The fields of every question to a person. */
interface Question {
  /** Unique to this question. */
  id: string
  /** The time after which an answer is too late, in milliseconds since 1970. */
  expires: number
  /** Aborted once no answer is needed. */
  signal: AbortSignal
}

/** A call that a person is asked about. */
export interface ApprovalRequest extends Question {
  kind: 'approval'
  /** The tool's name. */
  tool: string
  layer: Origin['layer']
  origin: Origin
  /** The digest that an answer is bound to: it changes with every file that the tool is made of. */
  digest: string
  /** The call's key, safe to show: shortened, with control characters escaped. */
  key: string
  /** The arguments, without those whose names mark them as secret. */
  args: JsonValue
  /** The arguments that the key leaves out: an answer for the session covers any values of these. */
  ignored: string[]
  /** The tool's preview of the call; null if it has none. */
  preview: string | null
  /** The whole question, safe to show: no part is hidden or can pass for another. */
  text: string
  /** The reason for asking. */
  reason: string
  /** The rule that asks; null if the tool itself requires approval. */
  rule: string | null
  agentId: string | undefined
  sessionId: string | undefined
  userId: string | undefined
}

/** A tool that runs code, which agents get once its project is trusted. */
export interface UntrustedTool {
  name: string
  /** Absolute. */
  file: string
  /** The declared permissions; all four if only running the code would tell. */
  permissions: { required: readonly Permission[]; optional: readonly Permission[] }
  /** The declared `gated`; null if its permissions decide. */
  gated: boolean | null
  /** Tools of the same name that it shadows. */
  shadows: Origin['shadows']
}

/** A question whether agents may get the code of a project. */
export interface ProjectRequest extends Question {
  kind: 'project'
  /** The project's folder, absolute. */
  root: string
  /** The digest that an answer is bound to: it changes with each of the project's tools, and with its configuration. */
  digest: string
  tools: readonly UntrustedTool[]
  /** The parts of its configuration that take effect if the answer allows it. */
  configuration: Omit<ProjectConfiguration, 'root'>
}
/** A call that waits for a person's answer, which the host passes to `answer` by its id. */
export type WaitingRequest = Omit<ApprovalRequest, 'signal'>
/** A question of a tool. `tool` is the asking tool, whatever the message says. */
export type PromptRequest = TellsTool & (TextQuestion | ChoiceQuestion | ConfirmQuestion)

interface TellsTool extends Question {
  tool: string
  layer: Origin['layer']
  agentId: string | undefined
  sessionId: string | undefined
  userId: string | undefined
}

/** The tools that a model is offered, and those that are withheld. */
export interface Offer {
  /** The tools for the model. */
  tools: ToolDef[]
  /** The tools that the model does not get. */
  withheld: Withheld[]
}

/** A tool that is withheld from a model. */
export interface Withheld {
  tool: ToolDef
  /** The reason, as a sentence. */
  why: string
  /** Advice for a person on how to offer it. */
  grant: string
}

/** The decision about an agent's call. */
export interface Authorization extends Omit<Decision, 'code'> {
  /** The code of the error of a denied call, or of one that cannot succeed. */
  code: ErrorCode | null
  /** The answers of the steps, up to the decisive one. */
  steps: StepAnswer[]
  /** The request for a person, if the decision is `ask`. */
  request?: WaitingRequest
}

/** A question to a person. */
export type HostRequest = ApprovalRequest | ProjectRequest | PromptRequest

/** `allow-project` counts as `allow-session` unless the policy remembers answers for the project. */
export type ApprovalAnswer = 'allow-once' | 'allow-session' | 'allow-project' | 'deny'

/** Asks a person. Anything but an answer, and any error, denies the call. */
export type Interact = (
  request: HostRequest,
) => ApprovalAnswer | { answer: ApprovalAnswer; reason?: string } | Promise<unknown>
