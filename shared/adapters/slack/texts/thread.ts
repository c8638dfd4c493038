/** Holds every sentence that the thread of a card is told. */
import type { Approval, DecisionOutcome } from '../../../contract/index.ts';

/** The answer of people to a call that does not run all the same; approved unless it is here. */
const DID: Readonly<Partial<Record<Approval['status'], string>>> = { edited: 'changed', substituted: 'chose' };

export const THREAD = {
  /** A call in question; `folder` begins with its own blank. */
  call: (name: string, agent: string, folder: string) => `${name} of ${agent}${folder}`,
  calls: (n: number, agent: string, names: string) => `${n} calls of ${agent}: ${names}`,
  escalated: (group: string, to: string, call: string) =>
    `${group} did not answer in time: ${to} are asked as well about ${call}; anybody of either group may answer`,
  /** For several calls, whose names end the sentence. */
  escalatedCalls: (group: string, to: string, calls: string) =>
    `${group} did not answer in time: ${to} are asked as well, and anybody of either group may answer ${calls}`,
  reminder: (groups: string, call: string) => `Reminder for ${groups}: ${call} still waits`,
  reminderOfCalls: (groups: string, calls: string) => `Reminder for ${groups}: still waiting are ${calls}`,
  until: (time: string) => `Until ${time}.`,
  /** For several calls. */
  firstUntil: (time: string) => `The first until ${time}.`,
  /** Before the time itself. */
  first: 'the first ',
  askedNow: (call: string) => `${call} waits for your answer`,
  askedAgain: (call: string) => `The call was changed. ${call} now waits for your answer`,
  passedOn: (by: string, call: string) => `${by} passed this on to you: ${call} waits for your answer`,
  overruled: (name: string, calls: number, status: Approval['status'], why: string) =>
    `${name} ${calls > 1 ? 'do' : 'does'} not run although people ${DID[status] ?? 'approved'} ${calls > 1 ? 'them' : 'it'}: ${why}.`,
  answerHeld: (name: string, why: string) => `${name} was answered, but the agent did not get the answer: ${why}.`,
  overruledBy: {
    denied: 'a rule or a changed policy won',
    superseded: 'the policy changed meanwhile, and the agent has to propose it anew',
    error: 'it could not be decided',
    expired: 'its time was over',
    cancelled: 'its agent withdrew it',
  } satisfies Partial<Record<DecisionOutcome, string>>,
  paused: 'an operator paused it',
  failed: (name: string, took: string, code: string | undefined) =>
    `${name} ran and failed after ${took}${code ? ` (${code})` : ''}.`,
  unknown: (name: string) => `${name} may have run: what came of it is not known. Look before it is tried again.`,
  inFull: 'In full:',
} as const;
