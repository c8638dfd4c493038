/**
 * Reads a person's answer in JSON from receivers of a webhook and clients of a WebSocket.
 *
 * The JSON form is that of `Answer`.
 */
import * as z from 'zod';
import type { Answer } from '../../ports/asker.ts';

const who = { by: z.string().max(300).optional() };
const wireAnswer = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('approved'),
    input: z.unknown().optional(),
    scope: z.enum(['Once', 'Session', 'SessionAllTools']).optional(),
    ...who,
  }),
  z.object({ type: z.literal('rejected'), reason: z.string().max(1000).optional(), ...who }),
  z.object({ type: z.literal('chose'), index: z.int().nonnegative(), ...who }),
  z.object({ type: z.literal('text'), text: z.string(), ...who }),
  z.object({ type: z.literal('silent') }),
]);

/** `undefined` for an answer that is none. */
export const readWireAnswer = (stated: unknown): Answer | undefined => wireAnswer.safeParse(stated).data;
