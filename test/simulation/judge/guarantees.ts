/**
 * States how each guarantee about people, guardrails, record and platform is shown.
 * The judge names the guarantee that a history breaks; of the others no history of outsiders can tell, and a test shows them.
 */

/** `checked`: what the judge compares. `test`: the file of the test that shows it instead, and why a history cannot. */
type Shown = { readonly checked: string } | { readonly why: string; readonly test: string };

export const GUARANTEES: Readonly<Record<string, Shown>> = {
  G15: { checked: 'a message that is no I-JSON ends as an error' },
  G16: { checked: 'no call is allowed by an approval for later that is over, taken back or of another call' },
  G17: { checked: 'no call is allowed by an approval for once, or by one that was refused or expired' },
  G18: { checked: 'one decision each, the same in row and record, and none after a refusal that counts' },
  G19: {
    checked:
      'no vote counts of a person who may not approve, from their own seat or from one that is delegated to them now, or who left minutes ago, and none that Slack did not sign for this app and workspace; forms open for whoever may answer, people are shown and order what is theirs, and nobody has tasks of another',
  },
  G20: {
    checked:
      'no vote counts after the end of its wait, no request twice, each refused click is on record, and a form is answered as the record has it',
  },
  G21: { checked: 'nothing expires before its time, silence approves nothing, and no task goes without a yes in time' },
  G22: { checked: 'the number that runs stands on the card that each approving person clicked' },
  G23: { checked: 'a changed call has the approvals that the changed call needs' },
  G24: { checked: 'no task token stands in a row, a record, a card, a reply or a log' },
  G25: { checked: 'what runs is what was approved, once, in its time, and nothing that the policy denies by then' },
  G26: { checked: 'as many people approved as the policy asks for, and other people than whoever changed the call' },
  G27: { checked: 'after the last fault nothing waits for longer than a repair takes, and nothing is left' },
  G28: { checked: 'no agent spends more than its budget' },
  G29: {
    why: 'limits and costs come from the policy file, which loads whole or not at all',
    test: 'test/unit/config/guardrails.test.ts',
  },
  G30: { checked: 'rates and slots are never exceeded, whoever runs the calls' },
  G31: { checked: 'a call runs some time after its tool works again, even if the first one was lost' },
  G32: { checked: 'a call that may not be repeated runs once, and is recorded as unknown if it was interrupted' },
  G33: {
    checked:
      'each sender reads one decision, each queue is sent it, nobody is asked twice, no event is told twice, no message to the task agent is answered twice, no question that is over keeps its buttons, and no dead letter is lost',
  },
  G34: {
    checked:
      'no more wait than may, nothing waits for others where nothing fails, and events come again when they should',
  },
  G35: {
    checked:
      'what runs is approved on record; decisions, votes, operations and runs are on record, with the end that whoever redeemed the permit told',
  },
  G36: { checked: 'on tables: every entry of the record is archived, and sealed, whatever its functions met' },
  G37: {
    checked: 'the secret in an input stands in no row, record, card, reply, log or event, and no event names a person',
  },
  G38: {
    checked:
      'a decision names the policy file in force, people who answered, a reason that somebody gave, and its time',
  },
  G39: {
    checked:
      'no entry takes the place of another, the first report of a run stands, record and sender read the same decision, and each event is signed and true',
  },
  G40: {
    why: 'the simulator has no IAM: each actor holds the ports of its own role',
    test: 'test/e2e/security/stolen-roles.test.ts',
  },
  G41: {
    why: 'the definition of the workflow belongs to the stack, and its part in memory is written like it',
    test: 'test/cdk/workflow.test.ts',
  },
  G42: {
    why: 'a process without its secret does not start, so that it leaves no history',
    test: 'test/functions/runtime/secrets.test.ts',
  },
};
