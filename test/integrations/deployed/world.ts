/**
 * Plays people who answer in Slack on the deployed gate that the end-to-end tests share.
 *
 * Time is real, and each run has a name of its own.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { lambdaRedeemer } from '../../../shared/adapters/lambda/redeemer.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { sqsProposalQueue } from '../../../shared/adapters/sqs/proposal-queue.ts';
import type { CountersignClient, RunGuard } from '../../../shared/client/index.ts';
import { e2eGate } from '../../e2e/gate.ts';
import { agentNamed, newId, operatorNamed } from '../../e2e/harness/agents.ts';
import { entriesOf } from '../../e2e/harness/rows.ts';
import { ALICE, approve, cardOf, cardsOf, reject } from '../../e2e/harness/slack.ts';
import { until } from '../../e2e/harness/until.ts';
import { clientConfig } from '../../local/endpoint/index.ts';
import { AMOUNT, type Ran, type World } from '../scene.ts';

const AGENT = 'coder';
const LOOK_MS = 50;
/** A run that is taken up again waits for people by then, also on a busy machine: one that is aborted before has withdrawn nothing. */
const TAKEN_UP_MS = 1_500;

/** No test refuses the amount of another one. */
let opened = 0;

/** A scene of its own on the one gate. */
export async function openDeployed(): Promise<World> {
  const gate = await e2eGate();
  const [agent, oncall] = await Promise.all([agentNamed(AGENT), operatorNamed('oncall')]);
  const settings = new Map(
    (gate.outputs[`AgentEnvironment${AGENT}`] ?? '').split('\n').map((line) => line.split('=', 2) as [string, string]),
  );
  const config = clientConfig({ ...gate.endpoint, env: agent.environment });
  const setting = (name: string) => {
    const value = settings.get(name);
    if (!value) throw new Error(`the environment of ${AGENT} names no ${name}`);
    return value;
  };
  const redeemer = lambdaRedeemer(setting('COUNTERSIGN_REDEEM_FUNCTION'), config);
  const outcomes = sqsProposalQueue(agent.sqs, setting('COUNTERSIGN_OUTCOMES_QUEUE_URL'));
  const run = `adapters-${newId()}`;
  const refused = 1_000 + opened++;
  const ran: Ran[] = [];
  const asked: number[] = [];
  const answering = Promise.withResolvers<void>();
  let isOver = false;

  /** Waits for the card of a call, and answers it as the suite expects. */
  async function answer(amount: number, callId = `call_${amount}`): Promise<void> {
    const proposalId = `${run}:${callId}`;
    const pid = agent.pid(proposalId);
    while (!(await cardsOf(pid)).length) {
      if (isOver) return;
      await pause(LOOK_MS);
    }
    asked.push(amount);
    await answering.promise;
    // Nobody is asked on when the test is over; withdrawing what is decided changes nothing.
    if (isOver) return client().cancel(proposalId, 'The test is over.');
    const card = await cardOf(pid);
    if (amount === refused) await reject(ALICE, card, 'Too much');
    if (amount === AMOUNT.approved) await approve(ALICE, card);
    if (amount !== AMOUNT.edited) return;
    const input = { amount: AMOUNT.editedTo };
    await oncall.say({ kind: 'decide', agent: AGENT, proposalId, choice: 'edit', input });
    // Another person is asked about the edit. The card of before still has its buttons until it is drawn anew.
    const edited = await until('the card of the second round', async () =>
      (await cardsOf(pid)).find(({ blocks }) => {
        const shown = JSON.stringify(blocks);
        return shown.includes(`amount\\": ${AMOUNT.editedTo}\\n`) && shown.includes(ACTIONS.approve);
      }),
    );
    asked.push(amount);
    await approve(ALICE, edited);
  }
  // A test whose people could not answer fails by its own wait.
  const answers = Promise.allSettled([
    ...[AMOUNT.approved, refused, AMOUNT.edited].map((amount) => answer(amount)),
    answer(refused, 'call_forged'),
  ]);

  const client = (): CountersignClient => agent.clientWith({ redeemer, outcomes, sessionId: run });
  return {
    run,
    approver: ALICE,
    refused,
    ran,
    asked,
    client,
    guard: (name = run): RunGuard => client().guard({ run: name }),
    now: () => Date.now(),
    work(tool, input) {
      ran.push({ tool, input });
      return `${tool} done`;
    },
    answer: () => answering.resolve(),
    async endOf(callId, name) {
      const pid = agent.pid(`${name}:${callId}`);
      return (await entriesOf(AGENT, pid, 'decided')).at(-1)?.outcome;
    },
    pass: () => pause(TAKEN_UP_MS),
    until: (condition) => until('what the suite waits for', condition).then(() => undefined),
    stop() {
      isOver = true;
      answering.resolve();
      void answers.then(() => redeemer.close());
    },
  };
}
