/** Answers operations that could not be done as often as their queue delivers them. */
import { MAX_READING_TRIES } from '../../config/schema/defaults.ts';
import { operation } from '../../contract/operation.ts';
import { readIJson } from '../../domain/raw-json.ts';
import { resolveSender, UNREGISTERED } from '../identity.ts';
import { DEAD_LETTER } from '../intake/dead-letter.ts';
import { aboutOperation, announce, announcedAs, note, statedOperation } from './announce.ts';
import { operationWords } from './announcement-text.ts';
import type { OperatorDependencies, OperatorMessage } from './dependencies.ts';
import { withoutPerson } from './forget.ts';
import { refuse } from './refusal.ts';
import { isFromSlack, performSlackRequest } from './slack-requests.ts';

/**
 * Nothing is done any more: what an operator wanted an hour ago is theirs to want again. Recorded under its own sender, and told where the
 * operation would have been. `tries` counts from 1; late ones read nothing of the message, for reading it may be what fails. Throws if a store is
 * down: the message comes again.
 */
export async function refuseDeadLetter(
  message: OperatorMessage,
  tries: number,
  deps: OperatorDependencies,
): Promise<void> {
  const refusal = refuse(DEAD_LETTER);
  if (tries > MAX_READING_TRIES) return note(message, UNREGISTERED, { ...refusal, detail: '', operation: {} }, deps);
  const json = readIJson(message.raw);
  if (isFromSlack(message, deps)) return performSlackRequest(message, json, deps, refusal);
  const operator = await resolveSender(message.principal, deps.operators, deps);
  const isKnown = operator !== undefined && Object.hasOwn(deps.policy.settings.operators, operator);
  const wanted = json.ok ? operation.safeParse(json.value).data : undefined;
  if (!isKnown || !wanted) {
    const by = isKnown ? operator : UNREGISTERED;
    return note(message, by, { ...refusal, detail: '', operation: statedOperation(json) }, deps);
  }
  const told = wanted.kind === 'forget' ? withoutPerson(wanted, refusal) : wanted;
  const about = await aboutOperation(told, deps);
  const detail = await deps.redactor.text(told.reason);
  await note(message, operator, { ...refusal, detail, operation: about }, deps);
  const announced = { wanted: told, operator, done: refusal };
  const text = await operationWords(announced, deps.policy.settings, (one) => deps.redactor.text(one));
  await announce(text, `${announcedAs(operator, wanted)}#${DEAD_LETTER}`, deps);
}
