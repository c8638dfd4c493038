/** Every sentence that the thread of a card is told. */

export const THREAD = {
  escalated: (group: string, to: string, name: string) =>
    `${group} did not answer in time: ${to} are asked as well about ${name}; anybody of either group may answer`,
  reminder: (groups: string, name: string, agent: string) => `Reminder for ${groups}: ${name} of ${agent} still waits`,
  askedNow: (name: string, agent: string) => `${name} of ${agent} waits for your answer`,
  askedAgain: (name: string, agent: string) => `The call was changed. ${name} of ${agent} now waits for your answer`,
  passedOn: (by: string, name: string, agent: string) =>
    `${by} passed this on to you: ${name} of ${agent} waits for your answer`,
  overruled: (name: string) => `${name} does not run although people approved it: a rule or a changed policy won.`,
  failed: (name: string, took: string, code: string | undefined) =>
    `${name} ran and failed after ${took}${code ? ` (${code})` : ''}.`,
  unknown: (name: string) => `${name} may have run: what came of it is not known. Look before it is tried again.`,
  inFull: 'In full:',
} as const;
