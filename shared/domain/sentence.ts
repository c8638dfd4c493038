/** Ends a text of people or agents as a sentence before another one follows it. */

/** With a full stop, unless the text brings its own end. */
export const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
