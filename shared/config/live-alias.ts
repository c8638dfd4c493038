/** Names the alias that callers of a function with versions invoke. */
export const LIVE_ALIAS = 'live';
