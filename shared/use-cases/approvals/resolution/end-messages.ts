/** Writes the messages for the model about questions that end by themselves. */

export const endMessages = {
  unreadableRow: () =>
    'The gate could not read what it kept of this question, and the time for an answer is over. It was not run; propose it again under a new id.',
  inputGone: () =>
    'The gate keeps the input of this call apart, and it is gone: nobody could see what they approve. It was not run; propose it again under a new id.',
  cannotDecide: () =>
    'The gate could not decide this with what it keeps of it, and the time for an answer is over. It was not run; propose it again under a new id.',
  recordDisagrees: () =>
    'The votes that this approval holds are not on the record. It was not run, and operators are told; propose it again under a new id.',
  secretAndModel: () =>
    'This choice needs a model after a person, and its facts hold what looks like a secret, which no model is told. Propose it again without the secret.',
  secretGone: () => 'The arguments of this call were sealed, and their time is over. It was not run; propose it again.',
  otherQuestion: () => 'The policy asks another question now. Propose the call again under a new id.',
  unlistedGroup: () =>
    'The policy no longer has the group that was asked, so that nobody could answer. It was not run; propose it again under a new id.',
  tooFewPeople: () =>
    'The policy no longer has enough people to answer all that was asked. It was not run; propose it again under a new id.',
  unlistedAgent: () => 'The policy no longer lists this agent. The call was not run.',
} as const;
