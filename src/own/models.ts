/**
 * A language model of the AI SDK: an object of a provider, or the id of a model of the SDK's global provider. Only what
 * every version of the SDK has is named, so that no type of the SDK is needed here.
 */
export type Model = string | { readonly specificationVersion: string; readonly modelId: string }

/** The models that agents run on, by the names that skills choose them by. */
export interface Models {
  /** The model of a skill that names none, and of the tool `agent`. */
  readonly default?: Model
  readonly [name: string]: Model | undefined
}
