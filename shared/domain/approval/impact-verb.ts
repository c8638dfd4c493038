/** Finds the verb of a line of what a call touches (`touches.paths`); a name follows it. */

export const IMPACT_VERB = /^(?:deletes|writes|reads|names|uses|connects to) /;
