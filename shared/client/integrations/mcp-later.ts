/** Words the answers by which an MCP client is told to call again. */

const AGAIN = 'It was not run. Call the tool again with the same arguments.';
export const LATER = {
  asked: `People are still being asked about this call. ${AGAIN}`,
  unjudged: `The gate has not judged this call yet. ${AGAIN}`,
  busy: `This call is approved, and waits for other calls of its tool. ${AGAIN}`,
  unread: `The decision on this call cannot be read at the moment. ${AGAIN}`,
} as const;
