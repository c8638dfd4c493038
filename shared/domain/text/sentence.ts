/** Makes sentences that agents and people read in more than one place. */

/** A text before another one follows it: with a full stop, unless the text brings its own end. */
export const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** The agent reads it as it stands; a card names the rule apart, and leaves it out. */
export const ruleAsks = (pattern: string, source: string): string => `The rule ${pattern} (${source}) asks a person.`;
