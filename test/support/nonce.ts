/** Lets a scripted model repeat the nonce of its question (D53). */

/** The reply with the nonce of these instructions, if it is a JSON object and they name one; any other reply as it is. */
export function withNonce<Reply>(reply: Reply, instructions: string | undefined): Reply | string {
  const nonce = /"nonce": "([^"]+)"/.exec(instructions ?? '')?.[1];
  if (nonce === undefined || typeof reply !== 'string') return reply;
  try {
    JSON.parse(reply);
  } catch {
    return reply;
  }
  // As text, so that an answer with a key twice stays one.
  return reply.replace(/^\s*\{(?!\s*\})/, () => `{"nonce":${JSON.stringify(nonce)},`);
}
