/** Changes the row that every decision reads: the emergency brake (A18). */
import type { PauseOperation } from '../contract/operation.ts';
import { canonicalJson, sha256Hex } from '../domain/digest.ts';
import type { Control, Pause } from '../ports/control.ts';
import type { Done, OperatorGate } from './operate.ts';
import { ownsAgent } from './operate-session.ts';

const TRIES = 5;
/** Operations that the control row remembers. */
const REMEMBERED = 20;

export async function pause(wanted: PauseOperation, operator: string, gate: OperatorGate): Promise<Done> {
  const id = sha256Hex(canonicalJson({ operator, ...wanted })).slice(0, 16);
  const done: Done = { accepted: true, code: wanted.effect === 'lift' ? 'pause_lifted' : `paused_${wanted.effect}` };
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const control = await gate.control.read();
    if (control.done?.includes(id)) return done;
    if (loosensOwn(wanted, control, operator, gate)) return { accepted: false, code: 'own_agent' };
    if (await gate.control.write(nextControl(control, wanted, operator, id))) return done;
  }
  throw new Error('the control row kept changing while it was written');
}

/** Nobody loosens the pause of an agent of their own, as they could not approve its calls either (A5, G19). */
function loosensOwn(
  { scope, effect, until }: PauseOperation,
  control: Control,
  by: string,
  gate: OperatorGate,
): boolean {
  if (!('agent' in scope) || !ownsAgent(by, scope.agent, gate)) return false;
  const now = control.pauses.find((pause) => JSON.stringify(pause.scope) === JSON.stringify(scope));
  if (!now || (now.until !== undefined && now.until <= gate.clock.now())) return false;
  const ends = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  return (
    effect === 'lift' || (now.effect === 'deny' && effect === 'ask') || ends < (now.until ?? Number.POSITIVE_INFINITY)
  );
}

function nextControl(
  control: Control,
  { scope, effect, until, reason }: PauseOperation,
  by: string,
  id: string,
): Control {
  const key = JSON.stringify(scope);
  const others = control.pauses.filter((pause) => JSON.stringify(pause.scope) !== key);
  const added: Pause[] =
    effect === 'lift'
      ? []
      : [{ scope, effect, reason, by, ...(until === undefined ? {} : { until: Date.parse(until) }) }];
  const done = [...(control.done ?? []), id].slice(-REMEMBERED);
  return { ...control, version: control.version + 1, pauses: [...others, ...added], done };
}
