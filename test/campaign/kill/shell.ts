/** Proposes commands of a shell, which rules or an operator allow, and has them redeemed. */
import { randomUUID } from 'node:crypto';
import { asleepForEver } from '../../e2e/harness/damage.ts';
import { approvalOf } from '../../e2e/harness/rows.ts';
import { reconcileNow } from '../../e2e/harness/time.ts';
import { REDEEMS } from '../gate.ts';
import { sentBy } from './again.ts';
import { ordered } from './orders.ts';
import { permitEnded } from './permits.ts';
import { called, type Scene, type Turn } from './scenes.ts';

const DECIDED_MS = 120_000;
/** One that only reads, and one that nobody allows but people: the simulator's model knows no commands, so that the judge reads neither. */
const COMMANDS = ['ls -la && git status', 'for file in *.ts; do rm "$file"; done; cat <<END > "$(date)"\nover\nEND'];

async function decidedByOperator({ actors }: Turn, id: string, pid: string, isAsleep: boolean) {
  const asked = { id, agent: REDEEMS };
  for (const until = Date.now() + DECIDED_MS; Date.now() < until; ) {
    const decision = await actors.decisionOf(asked, 3_000);
    if (decision) return decision;
    if ((await approvalOf(pid))?.approval.status !== 'pending') continue;
    if (isAsleep) await asleepForEver(pid);
    await ordered({ kind: 'decide', agent: REDEEMS, proposalId: id, choice: 'approve' });
    await reconcileNow(pid).catch(() => undefined);
  }
  throw new Error(`nobody decided the command ${id}`);
}

const commands =
  (isAsleep: boolean): Scene =>
  async (turn) => {
    const { actors } = turn;
    for (const [place, command] of COMMANDS.entries()) {
      const id = `${turn.id}-${place}`;
      const pid = actors.pid({ id, agent: REDEEMS });
      const call = { id: 'call', toolName: 'Bash', input: { command }, cwd: '/workspace' };
      await actors.agent(REDEEMS).send(JSON.stringify({ kind: 'tool-call', proposalId: id, calls: [call] }));
      const [of] = (await decidedByOperator(turn, id, pid, isAsleep)).calls;
      if (!of?.permit) continue;
      const { input, toolName, cwd } = call;
      const asked = { proposalId: id, callId: of.id, permitId: of.permit.permitId, toolName, input, cwd };
      // Nobody has the gate run commands: it says so, and the permit is the agent's.
      await sentBy(turn, REDEEMS, 'ExecutionsQueueUrl', { ...asked, requestId: randomUUID() });
      await called('redeem', { agent: REDEEMS, ...asked });
      await permitEnded(pid);
    }
  };
export const shell = commands(false);
/** No execution waits for the answer: the reconciler decides again. */
export const shellUnheard = commands(true);
