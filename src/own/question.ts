/** A tool's question to a person. */
export type Question = TextQuestion | ChoiceQuestion | ConfirmQuestion

interface Asked {
  /** The text that the person reads. */
  message: string
}

/** A question that is answered in words. */
export interface TextQuestion extends Asked {
  kind: 'text'
  /** The suggested answer. */
  default?: string
}

/** A question that is answered by one of its choices. */
export interface ChoiceQuestion extends Asked {
  kind: 'choice'
  choices: readonly string[]
  /** The suggested choice. */
  default?: string
}

/** A question that is answered by yes or no. */
export interface ConfirmQuestion extends Asked {
  kind: 'confirm'
  default?: boolean
}

/** Asks a person. Resolves to a string, one of the choices, or a boolean. */
export type Ask = <Kind extends Question>(
  question: Kind,
) => Promise<Kind extends ConfirmQuestion ? boolean : string>
