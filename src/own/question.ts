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
  /** The one that is suggested. */
  default?: string
}

export interface ConfirmQuestion extends Asked {
  kind: 'confirm'
  default?: boolean
}

/** Asks a person: gives a text, one of the choices, or true or false. */
export type Ask = <Kind extends Question>(
  question: Kind,
) => Promise<Kind extends ConfirmQuestion ? boolean : string>
