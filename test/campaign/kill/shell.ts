/** Proposes commands of a shell, which rules or an operator allow, and has them redeemed. */
import { randomUUID } from 'node:crypto';
import { asleepForEver } from '../../e2e/harness/damage.ts';
import { approvalOf } from '../../e2e/harness/rows.ts';
import { reconcileNow } from '../../e2e/harness/time.ts';
import { REDEEMS } from '../gate.ts';
import { sentBy } from './again.ts';
import { VOTED } from './awaits.ts';
import { ordered } from './orders.ts';
import { permitEnded } from './permits.ts';
import { called, type Scene, type Turn, WOKEN_MS } from './scenes.ts';

const MADE = `make 'all' "quickly"`;
const LOOPS = 'for file in *.ts; do rm "$file"; done; cat <<END > "$(date)"\nover\nEND';
/** One that only reads, one that a rule allows, and one that only people do: the simulator's model knows no commands, so that the judge reads none. */
const COMMANDS = [['ls -la && git status'], [MADE], [LOOPS, MADE]];

interface Asks {
  readonly agent: string;
  /** No execution waits for the answer, and whoever takes it ends before anything comes of it: the reconciler decides. */
  readonly isUnheard?: boolean;
}

/** Until it is decided; an operator approves what asks, and the reconciler comes as its schedule has it. */
export async function decidedByOperator(turn: Turn, id: string, pid: string, { agent, isUnheard = false }: Asks) {
  const { actors } = turn;
  for (const until = Date.now() + WOKEN_MS; Date.now() < until; ) {
    const decision = await actors.decisionOf({ id, agent }, 3_000);
    if (decision) return decision;
    const isAsked = (await approvalOf(pid))?.approval.status === 'pending';
    const order = () => ordered({ kind: 'decide', agent, proposalId: id, choice: 'approve' });
    if (isAsked && isUnheard) {
      await asleepForEver(pid);
      const given: Promise<void>[] = [];
      await turn.killedAt({ ...VOTED, verb: 'operate', about: id }, async () => void given.push(order()));
      await reconcileNow(pid).catch(() => undefined);
      await Promise.allSettled(given);
    } else if (isAsked) await order();
    // The process that took the answer may have ended before it woke anybody.
    if (!(await actors.decisionOf({ id, agent }, 3_000))) await reconcileNow(pid).catch(() => undefined);
  }
  throw new Error(`nobody decided the call ${id}`);
}

const commands =
  (isUnheard: boolean): Scene =>
  async (turn) => {
    const { actors } = turn;
    for (const [place, commandsOfOne] of COMMANDS.entries()) {
      const id = `${turn.id}-${place}`;
      const pid = actors.pid({ id, agent: REDEEMS });
      const calls = commandsOfOne.map((command, at) => ({
        ...{ id: at ? `call${at}` : 'call', toolName: 'Bash', input: { command }, cwd: '/workspace' },
      }));
      await actors.agent(REDEEMS).send(JSON.stringify({ kind: 'tool-call', proposalId: id, calls }));
      const [of] = (await decidedByOperator(turn, id, pid, { agent: REDEEMS, isUnheard })).calls;
      const [call] = calls;
      if (!call || !of?.permit) continue;
      const { toolName, cwd } = call;
      // A command that a rule allows runs as the gate printed it.
      const input = of.effective?.input ?? call.input;
      const asked = { proposalId: id, callId: of.id, permitId: of.permit.permitId, toolName, input, cwd };
      // Nobody has the gate run commands: it says so, and the permit is the agent's.
      await sentBy(turn, REDEEMS, 'ExecutionsQueueUrl', { ...asked, requestId: randomUUID() });
      const fs = { symlinks: { '/workspace/linked': `/workspace/${id}` } };
      await called('redeem', { agent: REDEEMS, ...asked, fs });
      await permitEnded(pid);
    }
  };
export const shell = commands(false);
/** No execution waits for the answer: the reconciler decides again. */
export const shellUnheard = commands(true);
