/** A tool's question to a person. */
export type Question = TextQuestion | ChoiceQuestion | ConfirmQuestion

interface Asked {
  /** The text that the person reads. */
  message: string
}

export interface TextQuestion extends Asked {
  kind: 'text'
  /** The suggested answer. */
  default?: string
}

export interface ChoiceQuestion extends Asked {
  kind: 'choice'
  choices: readonly string[]
  /** The suggested choice. */
  default?: string
}

export interface ConfirmQuestion extends Asked {
  kind: 'confirm'
  default?: boolean
}

/** Asks a person. Resolves to a string, one of the choices, or a boolean. */
export type Ask = <Kind extends Question>(
  question: Kind,
) => Promise<Kind extends ConfirmQuestion ? boolean : string>
