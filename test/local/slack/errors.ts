/**
 * Declares the refusal of a Web API call by Slack.
 *
 * Holds the error code, details, and the rare HTTP status other than 200.
 */
import type { Dict } from './types.ts';

export class SlackApiError extends Error {
  readonly code: string;
  readonly details: Dict;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(code: string, details: Dict = {}, status = 200, headers: Record<string, string> = {}) {
    super(code);
    this.name = 'SlackApiError';
    this.code = code;
    this.details = details;
    this.status = status;
    this.headers = headers;
  }
}

/** `messages` are in Slack's form: what is wrong, then the JSON pointer of the place. */
export function invalid(code: string, messages: string[]): SlackApiError {
  return new SlackApiError(code, {
    errors: messages,
    response_metadata: { messages: messages.map((message) => `[ERROR] ${message}`) },
  });
}

export function missingArgument(name: string): SlackApiError {
  return invalid('invalid_arguments', [`missing required field: ${name}`]);
}
