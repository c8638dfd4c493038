/**
 * A cheap look at a text before the finders and the detector: whoever holds no secret word, no long run of characters and no credentials in
 * an address holds nothing that they know. Whatever they find, this lets through; a test holds the two together.
 */
const SUSPECT =
  /pass|pwd|secret|token|auth|cred|cookie|jwt|bearer|basic|digest|negotiate|key|otp|cvv|cvc|-----BEGIN|‹redacted|:\/\/[^\s/]{0,800}@|(?<![A-Za-z0-9_+=-])[A-Za-z0-9_+=-]{16,}|xox|xapp|--?u(?:ser)?[ =]|--proxy-user/i;

export const mayHoldSecret = (text: string): boolean => SUSPECT.test(text);
