/** Holds every sentence of the modal that shows everything. */
export const SHOW = {
  title: 'Everything',
  close: 'Close',
  notNow: 'Not now',
  back: 'Back',
  next: 'Next',
  page: (at: number, of: number) => `Page ${at} of ${of}`,
  toPage: (turn: string, at: number, of: number) => `${turn}: page ${at} of ${of}`,
  call: (number: number, of: number, tool: string) => `Call ${number} of ${of}: ${tool}`,
  part: (number: number, of: number) => `, part ${number} of ${of}`,
  folder: 'in',
  missing: 'The proposal does not hold what is asked about.',
  ran: (call: string, status: 'succeeded' | 'failed' | 'unknown', took: string, code: string | undefined) =>
    status === 'unknown'
      ? `Call ${call} may have run: what came of it is not known.`
      : `Call ${call} ${status} after ${took}${code ? ` (${code})` : ''}.`,
  /** A phone hides the card behind this. */
  asks: (agent: string, session: string) => `Asked by ${agent}, session ${session}`,
  ids: (proposal: string, approval: string, digest: string) =>
    `Proposal ${proposal} · approval ${approval} · digest ${digest}`,
  policy: (asked: string, decided: string | undefined) =>
    decided === undefined || decided === asked
      ? `Policy ${asked}`
      : `Policy ${asked} when it was asked, ${decided} when it was decided`,
} as const;
