/** Declares the options of starting an endpoint. */

export interface StartOptions {
  /** Told about every step that may take longer than a second. */
  onProgress?: (line: string) => void;
  /** Default: this process's. `COUNTERSIGN_ENDPOINT` in it names the endpoint, `AWS_ENDPOINT_URL` one that runs already. */
  env?: Record<string, string | undefined>;
  /** Ends an installation that is under way. */
  signal?: AbortSignal;
  /** False for the endpoint as it comes, without what restores AWS's behaviour. Default true. */
  corrected?: boolean;
}
