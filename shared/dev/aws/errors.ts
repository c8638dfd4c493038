// Declares the errors around the local endpoint.
//
// Every message names the missing part and the one command that installs it.

/** The local endpoint could not be started or used. */
export class EndpointError extends Error {
  readonly code: string = 'endpoint_failed';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** This machine cannot run the endpoint at all, for a Python, the CDK or a package index is missing: memory adapters still can. */
export class EndpointUnavailable extends EndpointError {
  override readonly code = 'endpoint_unavailable';
}

/** The endpoint is not on this machine: nothing local is ever deployed to the outside. */
export class EndpointNotLocal extends EndpointError {
  override readonly code = 'endpoint_not_local';
}
