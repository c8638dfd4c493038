/** Stands in a text for what only the shell can know; no rule text holds it. */
export const UNKNOWN = '\ufffc';
