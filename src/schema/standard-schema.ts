/** The part of the Standard Schema and Standard JSON Schema interfaces (standardschema.dev, version 1) that tools use. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The interface, under the name that the standard reserves. */
  readonly '~standard': {
    readonly version: 1
    /** The name of the library. */
    readonly vendor: string
    /** Returns the value, or the issues that it has. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    /** The types, for the compiler only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Absent in libraries that describe no JSON Schema. */
    readonly jsonSchema?:
      | {
          /** Describes the accepted values as JSON Schema. */
          readonly input: (options: { target: string }) => Record<string, unknown>
          /** Describes the resulting values as JSON Schema. */
          readonly output: (options: { target: string }) => Record<string, unknown>
        }
      | undefined
  }
}

/** A schema of a library that also describes it as JSON Schema. */
export interface DescribedSchema<Input = unknown, Output = Input> extends StandardSchema<Input, Output> {
  readonly '~standard': StandardSchema<Input, Output>['~standard'] &
    Required<Pick<StandardSchema['~standard'], 'jsonSchema'>>
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type InferOutput<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined }
}
  ? Output
  : Record<string, unknown>
export type InferInput<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined }
}
  ? Input
  : unknown

/** True for an object of a schema library. Some of them are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value
  )
}
