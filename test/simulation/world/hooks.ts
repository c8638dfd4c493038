/** Plays the hooks of the policy files: each does with a call as the call's number says. */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { HookCaller } from '../../../shared/ports/hook-caller.ts';
import type { History } from '../model/history.ts';
import { numberIn } from '../model/plan.ts';
import { HOOK_DOES, HOOK_MS } from '../model/policies.ts';

interface Asked {
  /** The pid and the call's id. */
  readonly request_id: string;
  readonly agent_id: string;
  readonly tool_name: string;
  readonly tool_input: unknown;
}

/** The world that the hooks are in. */
interface Around {
  readonly history: History;
  readonly clock: Clock;
  tell(line: () => string): void;
  sleep(ms: number): Promise<void>;
  pid(agent: string, id: string): string;
}

export const hooksOf = (world: Around): HookCaller => ({
  async call(_, body) {
    const asked = JSON.parse(body) as Asked;
    const number = numberIn(asked.tool_input, Number.NaN);
    const does = HOOK_DOES[number] ?? 'fails';
    world.tell(() => `the hook of ${asked.tool_name} ${number} ${does}`);
    switch (does) {
      case 'fails':
        throw new Error('the hook has failed');
      case 'is not there':
        throw Object.assign(new Error('Function not found'), { name: 'ResourceNotFoundException' });
      case 'says yes':
        return '{"decision":"yes"}';
      case 'raves':
        return 'allow';
      case 'is late':
        await world.sleep(4 * HOOK_MS);
        return '{"decision":"allow"}';
      default:
        noteHeard(asked, number, world);
        return JSON.stringify({ decision: DECISIONS[does] });
    }
  },
});

const DECISIONS = { allows: 'allow', denies: 'deny', blocks: 'block', asks: 'ask', 'falls through': 'pass' } as const;

function noteHeard({ request_id, agent_id: agent }: Asked, number: number, world: Around): void {
  const { history, clock } = world;
  const sent = history.sent.find(({ id }) => request_id.startsWith(`${world.pid(agent, id)}.`));
  if (sent) history.heard.push({ at: clock.now(), id: sent.id, number });
}
