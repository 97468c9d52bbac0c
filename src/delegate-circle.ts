/** What to do about delegates that lead round in a circle. */
export const CIRCLE_HINT = 'Let one of them do the work itself.'
