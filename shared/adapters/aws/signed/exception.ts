/** Declares the error that a service answers with, in the shape of the SDK's. */

export interface Metadata {
  readonly httpStatusCode: number;
  readonly requestId: string | undefined;
  attempts?: number;
  /** The request was refused for the time of its signature, which later signatures correct. */
  clockSkewCorrected?: boolean;
}

/** Any error that a service answers with; `name` is the service's code. */
export class ServiceException extends Error {
  readonly $fault: 'client' | 'server';
  readonly $metadata: Metadata;

  constructor(name: string, message: string, $metadata: Metadata) {
    super(message);
    this.name = name;
    this.$fault = $metadata.httpStatusCode < 500 ? 'client' : 'server';
    this.$metadata = $metadata;
  }
}
