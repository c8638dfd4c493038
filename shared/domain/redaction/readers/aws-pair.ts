/** Tells the two halves of an AWS access key. The walk through a value needs no other token. */
const AWS_ID = /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/;

/** Whether a text names the half of a pair that is no secret by itself. */
export const holdsAwsId = (text: string): boolean => AWS_ID.test(text);

/** A digest of 40 characters has letters of one case only. */
export const isAwsSecret = (text: string): boolean =>
  /^[A-Za-z0-9+/]{40}$/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text);
