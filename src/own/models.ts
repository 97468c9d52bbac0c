/**
 * A language model of the AI SDK: a provider's object, or the id of a model of the SDK's global provider. Only the fields that
 * every version of the SDK has are typed, so that this needs no type of the SDK.
 */
export type Model = string | { readonly specificationVersion: string; readonly modelId: string }

/** The models that agents run on, by the names that skills choose them by. */
export interface Models {
  /** The model of a skill that names none, and of the tool `agent`. */
  readonly default?: Model
  readonly [name: string]: Model | undefined
}
