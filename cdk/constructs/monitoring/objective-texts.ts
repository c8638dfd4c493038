/** Says what each service level objective promises, and who loses what where it is missed. */
import type { ObjectiveName } from '../../../shared/config/objectives.ts';

interface ObjectiveText {
  /** Completes "Good is:". */
  readonly good: string;
  /** The loss of a user where the objective is missed, as a sentence without its full stop. */
  readonly loses: string;
}

export const OBJECTIVE_TEXTS: Readonly<Record<ObjectiveName, ObjectiveText>> = {
  decisions: {
    good: 'rules decide, or people are asked, within 2 s of the first send',
    loses: 'Agents wait for decisions that rules make alone',
  },
  'model-decisions': {
    good: 'a decision with a model or a hook comes within 10 s of the first send',
    loses: 'Agents wait for decisions that need a model or a hook',
  },
  cards: {
    good: 'a question has its card in Slack within 30 s',
    loses: 'People do not see the questions that wait for them',
  },
  clicks: {
    good: 'a click is answered within 2.5 s, and not with an error',
    loses: 'People who click see an error of Slack',
  },
  answers: {
    good: "people's answer is a decision within 5 s",
    loses: 'Agents wait although people have answered',
  },
  endings: {
    good: 'a question that nobody answers ends within 60 s of its time',
    loses: 'Questions whose time is over end late',
  },
  redeems: {
    good: 'a permit is answered within 1 s, and not with a fault',
    loses: 'Approved calls wait for their permit, or do not run',
  },
};
