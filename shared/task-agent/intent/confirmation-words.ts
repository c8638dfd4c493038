/** Reads yes and no, as whole messages only: "yes delete everything" confirms nothing. */
import { CONFIRM_NO, CONFIRM_YES } from './patterns.ts';
import { trimEndOf } from './utterance.ts';

export function confirmationOf(message: string): 'CONFIRM_YES' | 'CONFIRM_NO' | undefined {
  const text = trimEndOf(message.trim(), '.! ').replace(/\s+/gu, ' ').toLowerCase().replaceAll('’', "'");
  if (CONFIRM_YES.has(text)) return 'CONFIRM_YES';
  if (CONFIRM_NO.has(text)) return 'CONFIRM_NO';
  return undefined;
}
