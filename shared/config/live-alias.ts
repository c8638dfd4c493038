/** Names the alias that callers of a function with versions invoke, and who may have one. */
export const LIVE_ALIAS = 'live';

/** Where agents and people come in, from outside of the gate. The functions behind them change in place. */
export const ENTRANCES = ['evaluate', 'slack', 'redeem'] as const;
export type Entrance = (typeof ENTRANCES)[number];
