/** Applies the emergency brake. A paused `ask` caps what the later stages allow. */
import { asSentence } from '../../domain/text/sentence.ts';
import type { PauseState } from '../model/types.ts';
import { decide, pass, type Stage } from './stage.ts';

/** Fails closed: a pause whose end is not a number holds. */
export function isPaused(pause: PauseState | undefined, now: number): boolean {
  if (pause === undefined) return false;
  return pause.until === undefined || !(Number.isFinite(pause.until) && Number.isFinite(now) && now >= pause.until);
}

export const pauseStage: Stage = {
  name: 'pause',
  looked: 'the emergency brake',
  run({ prepared, facts }) {
    const { pause } = prepared.call;
    if (!isPaused(pause, facts.now) || pause === undefined) return pass('nothing is paused');
    if (pause.effect === 'ask') return pass('paused: a person is asked at least');
    const because = pause.reason === undefined ? '' : ` ${asSentence(pause.reason)}`;
    return decide({
      verdict: 'deny',
      reason: 'policy',
      source: 'pause',
      code: 'paused',
      message: `An operator has paused this.${because}`,
    });
  },
};
